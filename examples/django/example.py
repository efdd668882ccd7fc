"""Django, on psycopg 3."""

import os
import time
from datetime import datetime
from uuid import UUID

import django
from django.core.management import call_command
from django.db import DatabaseError, models
# comb: batch
from django.db import connection
# end
# comb: reader
from django.db import transaction
# end

os.environ["DJANGO_SETTINGS_MODULE"] = "settings"
django.setup()

from serve import serve
# comb: range
from shop.comb import CombBetween
# end
# comb: timestamp
from shop.comb import CombTimestamp
# end
# comb: reader
from shop.comb import CombNumberHorizon
from shop.models import Event, Reader
# end
from shop.models import Avoided, Legacy, Order

MODELS = {"orders": Order, "legacy": Legacy}
FUNCTIONS = {Order: "comb_new", Legacy: "comb_new_mssql"}


def handle(row):
    assert row.body


# comb: reader
def poll():
    with transaction.atomic():
        reader = Reader.objects.select_for_update().get(name="mailer")
        settled = CombNumberHorizon("events", "position", reader.position)
        rows = list(Event.objects.filter(pk__gt=reader.position, pk__lte=settled).order_by("pk")[:1000])
        for row in rows:
            handle(row)
        if rows:
            reader.position = rows[-1].pk
            reader.save()
    return rows  # none: wait 100 ms, and call poll() again
# end


class Commands:
    def schema(self):
        # An error if the models or the migrations have what the database has not.
        call_command("makemigrations", check=True, dry_run=True, verbosity=0)
        call_command("migrate", verbosity=0)
        call_command("migrate", check_unapplied=True, verbosity=0)

    def change(self):
        """What a migration of the models with another column does."""
        with connection.schema_editor() as editor:
            for model in (Order, Event):
                field = models.TextField(null=True)
                field.set_attributes_from_name("note")
                editor.add_field(model, field)

    def insert(self, table, n):
        Model = MODELS[table]
        # comb: insert
        row = Model.objects.create(n=n)
        id = row.pk
        # end
        assert type(id) is UUID
        return [id]

    def batch(self, table, count):
        Model = MODELS[table]
        function = FUNCTIONS[Model]
        # comb: batch
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {function}() FROM generate_series(1, %s)", [1000])
            ids = [id for (id,) in cursor.fetchall()]
        rows = Model.objects.bulk_create(Model(pk=id, n=n) for n, id in enumerate(ids))
        # end
        return [row.pk for row in rows]

    def page(self, table, last):
        Model = MODELS[table]
        # comb: page
        page = Model.objects.filter(pk__gt=last).order_by("pk")[:10]
        # end
        return [row.n for row in page]

    def range(self, table, *times):
        begin, until = (datetime.fromisoformat(time) for time in times)
        return self.between(MODELS[table], begin, until)

    def unzoned(self, *times):
        begin, until = (datetime.fromisoformat(time).replace(tzinfo=None) for time in times)
        return self.between(Order, begin, until)

    def between(self, Model, begin, until):
        # comb: range
        rows = Model.objects.filter(CombBetween("pk", begin, until)).order_by("pk")
        # end
        return [row.n for row in rows]

    def timestamp(self, table, layout, n):
        if table == "orders":
            # comb: timestamp
            orders = Order.objects.annotate(created=CombTimestamp("pk"))
            # end
        else:
            orders = Legacy.objects.annotate(created=CombTimestamp("pk", models.Value(layout)))
        return [int(orders.get(n=n).created.timestamp() * 1000)]

    def newest(self, table):
        return [MODELS[table].objects.latest("pk").n]

    def error(self, time):
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT comb_at(%s)", [datetime.fromisoformat(time)])
        except DatabaseError as error:
            diagnosis = error.__cause__.diag
            return [error.__cause__.sqlstate, diagnosis.message_primary, diagnosis.message_hint]

    def write(self, milliseconds, end, *bodies):
        with transaction.atomic():
            Event.objects.bulk_create(Event(body=body) for body in bodies)
            time.sleep(int(milliseconds) / 1000)
            transaction.set_rollback(end == "rollback")

    def poll(self, words, horizon):
        if horizon == "yes":
            Reader.objects.get_or_create(name="mailer")
            rows = poll()
        else:
            rows = Event.objects.filter(pk__gt=int(words)).order_by("pk")[:1000]
        return [value for row in rows for value in (row.pk, row.body)]

    def avoided(self):
        Avoided.objects.create(n=0)

    def call(self, query):
        with connection.cursor() as cursor:
            cursor.execute(query)


serve("Django", django.__version__, MODELS, Commands())
