"""SQLAlchemy with Alembic, on psycopg 3."""

import uuid
from datetime import datetime, timedelta, timezone

import alembic.command
import alembic.config
import sqlalchemy as sa
from sqlalchemy.orm import Session

from models import Legacy, Order
from report import check, check_recent, client, end, job

engine = sa.create_engine("postgresql+psycopg://")
LAYOUTS = {Order: "uuidv7", Legacy: "mssql"}

inserts = []


@sa.event.listens_for(engine, "before_cursor_execute")
def count_inserts(connection, cursor, statement, parameters, context, executemany):
    if statement.startswith("INSERT"):
        inserts.append(statement)


def migrate(command, *arguments):
    config = alembic.config.Config()
    config.set_main_option("script_location", "migrations")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command(config, *arguments)


client("SQLAlchemy", sa.__version__)

with job("schema"):
    migrate(alembic.command.upgrade, "head")
with job("schema_again"):
    migrate(alembic.command.upgrade, "head")
    # An error if a new migration, made from the models, would not be empty.
    migrate(alembic.command.check)

with job("insert"):
    for Model in LAYOUTS:
        with Session(engine) as session:
            row = Model(n=-1)
            session.add(row)
            session.commit()
            id = row.id
        check(type(id), uuid.UUID)
        with Session(engine) as session:
            check(session.get(Model, id).n, -1)

made = {}
with job("batch"):
    inserts.clear()
    with Session(engine) as session:
        rows = [Order(n=n) for n in range(1000)]
        session.add_all(rows)
        session.commit()  # one INSERT, which returns the ids
        made[Order] = [row.id for row in rows]
        stored = session.execute(sa.select(Order.id, Order.n).where(Order.n >= 0).order_by(Order.id)).all()
        check([tuple(row) for row in stored], list(zip(made[Order], range(1000))))
    check(len(inserts), 1)

    inserts.clear()
    # comb: batch_legacy
    with Session(engine) as session:
        new_ids = sa.select(sa.func.comb_new_mssql()).select_from(sa.func.generate_series(1, 1000))
        rows = [Legacy(id=id, n=n) for n, id in enumerate(session.scalars(new_ids))]
        session.add_all(rows)
        session.commit()
        # end
        made[Legacy] = [row.id for row in rows]
        stored = session.execute(sa.select(Legacy.id, Legacy.n).where(Legacy.n >= 0).order_by(Legacy.id)).all()
        check([tuple(row) for row in stored], list(zip(made[Legacy], range(1000))))
    check(len(inserts), 1)

with job("page"):
    for Model in LAYOUTS:
        last = made[Model][499]
        with Session(engine) as session:
            page = session.scalars(sa.select(Model).where(Model.id > last).order_by(Model.id).limit(10)).all()
        check([row.n for row in page], list(range(500, 510)))

with job("range"):
    noon = datetime(2024, 3, 1, 12, tzinfo=timezone.utc)
    for Model, layout in LAYOUTS.items():
        with Session(engine) as session:
            for day in range(5):
                session.add(Model(id=sa.func.comb_at(noon + timedelta(days=day), layout), n=-100 - day))
            session.commit()
        begin, until = noon + timedelta(days=1), noon + timedelta(days=3)
        # comb: range
        with Session(engine) as session:
            between = sa.func.comb_between(Model.id, begin, until, type_=sa.Boolean)
            rows = session.scalars(sa.select(Model).where(between).order_by(Model.id)).all()
        # end
        check([row.n for row in rows], [-101, -102])

with job("timestamp"):
    with Session(engine) as session:
        timestamp = session.scalar(sa.select(sa.func.comb_timestamp(Order.id)).where(Order.id == made[Order][0]))
        timestamp_of_legacy = session.scalar(
            sa.select(sa.func.comb_timestamp(Legacy.id, "mssql")).where(Legacy.id == made[Legacy][0])
        )
        check_recent(timestamp)
        check_recent(timestamp_of_legacy)

with job("error"):
    try:
        with Session(engine) as session:
            session.scalar(sa.select(sa.func.comb_at(datetime(1969, 7, 20, 20, 17, tzinfo=timezone.utc))))
    except sa.exc.DataError as error:
        sqlstate, diagnosis = error.orig.sqlstate, error.orig.diag
        message, detail = diagnosis.message_primary, diagnosis.message_detail
    check(sqlstate, "22008")
    check(message, 'timestamp out of range for UUID layout "uuidv7"')
    check(detail.startswith("The layout can represent times from 1970-01-01T00:00:00+00:00 to "), True)

with job("newest"):
    for Model in LAYOUTS:
        with Session(engine) as session:
            newest = session.scalars(sa.select(Model).order_by(Model.id.desc()).limit(1)).one()
        check((newest.id, newest.n), (made[Model][-1], 999))
    with Session(engine) as session:
        check(session.scalar(sa.select(sa.func.max(Legacy.id))), made[Legacy][-1])

end()
