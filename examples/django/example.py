"""Django, on psycopg 3."""

import os
import uuid
from datetime import datetime, timedelta, timezone

import django
from django.core.management import call_command
from django.db import DataError
# comb: batch
from django.db import connection
# end
# comb: reader
from django.db import models, transaction
# end

os.environ["DJANGO_SETTINGS_MODULE"] = "settings"
django.setup()

from report import check, check_recent, client, end, job
# comb: range
from shop.comb import CombBetween
# end
# comb: timestamp
from shop.comb import CombTimestamp
# end
# comb: reader
from shop.comb import CombSequenceHorizon
from shop.models import Cursor, Outbox
# end
from shop.models import Legacy, Order

FUNCTIONS = {Order: "comb_new", Legacy: "comb_new_mssql"}
LAYOUTS = {Order: "uuidv7", Legacy: "mssql"}

client("Django", django.__version__)

with job("schema"):
    call_command("migrate", verbosity=0)
with job("schema_again"):
    # An error if the models or the migrations have what the database has not.
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)
    call_command("migrate", check_unapplied=True, verbosity=0)
    call_command("migrate", verbosity=0)

with job("insert"):
    for Model in LAYOUTS:
        # comb: insert
        row = Model.objects.create(n=-1)
        id = row.pk
        # end
        check(type(id), uuid.UUID)
        check(Model.objects.get(pk=id).n, -1)

made = {}
with job("batch"):
    for Model, function in FUNCTIONS.items():
        # comb: batch
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {function}() FROM generate_series(1, %s)", [1000])
            ids = [id for (id,) in cursor.fetchall()]
        rows = Model.objects.bulk_create(Model(pk=id, n=n) for n, id in enumerate(ids))
        # end
        made[Model] = [row.pk for row in rows]
        stored = Model.objects.filter(n__gte=0).order_by("pk")
        check([(row.pk, row.n) for row in stored], list(zip(made[Model], range(1000))))

with job("page"):
    for Model in LAYOUTS:
        last = made[Model][499]
        # comb: page
        page = Model.objects.filter(pk__gt=last).order_by("pk")[:10]
        # end
        check([row.n for row in page], list(range(500, 510)))

with job("range"):
    noon = datetime(2024, 3, 1, 12, tzinfo=timezone.utc)
    for Model, layout in LAYOUTS.items():
        with connection.cursor() as cursor:
            for day in range(5):
                old = (noon + timedelta(days=day), layout, -100 - day)
                cursor.execute(f"INSERT INTO {Model._meta.db_table} (id, n) VALUES (comb_at(%s, %s), %s)", old)
        begin, until = noon + timedelta(days=1), noon + timedelta(days=3)
        # comb: range
        rows = Model.objects.filter(CombBetween("pk", begin, until)).order_by("pk")
        # end
        check([row.n for row in rows], [-101, -102])

with job("timestamp"):
    # comb: timestamp
    orders = Order.objects.annotate(created=CombTimestamp("pk"))
    # end
    order = orders.get(pk=made[Order][0])
    legacy = Legacy.objects.annotate(created=CombTimestamp("pk", models.Value("mssql"))).get(pk=made[Legacy][0])
    check_recent(order.created)
    check_recent(legacy.created)

with job("error"):
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT comb_at(%s)", [datetime(1969, 7, 20, 20, 17, tzinfo=timezone.utc)])
    except DataError as error:
        sqlstate, diagnosis = error.__cause__.sqlstate, error.__cause__.diag
        message, detail = diagnosis.message_primary, diagnosis.message_detail
    check(sqlstate, "22008")
    check(message, 'timestamp out of range for UUID layout "uuidv7"')
    check(detail.startswith("The layout can represent times from 1970-01-01T00:00:00+00:00 to "), True)

with job("newest"):
    for Model in LAYOUTS:
        newest = Model.objects.latest("pk")
        check((newest.pk, newest.n), (made[Model][-1], 999))
    check(Legacy.objects.aggregate(models.Max("pk")), {"pk__max": made[Legacy][-1]})

handled = []


def handle(row):
    handled.append(row.body)


# comb: reader
def poll():
    with transaction.atomic():
        cursor = Cursor.objects.select_for_update().get(reader="mailer")
        new = Outbox.objects.filter(pk__gt=cursor.last, pk__lte=CombSequenceHorizon(models.Value("shop_outbox_id_seq")))
        rows = list(new.order_by("pk")[:1000])
        for row in rows:
            handle(row)
        if rows:
            cursor.last = rows[-1].pk
            cursor.save()
    return rows  # none: wait 100 ms, and call poll() again
# end


with job("outbox"):
    Cursor.objects.create(reader="mailer")
    with transaction.atomic():
        Outbox.objects.bulk_create(Outbox(body={"order": n}) for n in range(3))
        # As a test in one transaction would.
        check(poll(), [])
    while poll() or len(handled) < 3:
        pass
    check(handled, [{"order": n} for n in range(3)])

end()
