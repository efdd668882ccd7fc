"""SQLAlchemy on psycopg 3, with Alembic."""

import time
from datetime import datetime
from uuid import UUID

import sqlalchemy
from alembic import command
from alembic.autogenerate import produce_migrations
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.operations import Operations
from sqlalchemy import Column, String, create_engine, func, select, text
from sqlalchemy.orm import Session

import shop

NAME, VERSION, TABLES = "SQLAlchemy", sqlalchemy.__version__, ["orders"]
engine = create_engine("postgresql+psycopg://")


def is_compared(item, name, *_):
    """The table avoided is none of the models."""
    return name != "avoided"


class Commands:
    models = shop

    def migrate(self, work):
        config = Config()
        config.set_main_option("script_location", "migrations")
        with engine.begin() as connection:
            config.attributes.update(connection=connection, metadata=self.models.METADATA, include_object=is_compared)
            work(config)

    def schema(self):
        self.migrate(lambda config: command.upgrade(config, "head"))
        self.migrate(command.check)  # an error if the models have what the database has not, or the reverse

    def change(self):
        """A migration that Alembic writes: the models have another column."""
        for model in (self.models.Order, self.models.Event):
            model.__table__.append_column(Column("note", String(), nullable=True))
        with engine.begin() as connection:
            context = MigrationContext.configure(connection, opts={"compare_server_default": True, "include_object": is_compared})
            for change in produce_migrations(context, self.models.METADATA).upgrade_ops.ops:
                for column in change.ops:
                    Operations(context).invoke(column)

    def insert(self, table, n):
        with Session(engine) as session:
            order = self.models.Order(n=int(n))
            session.add(order)
            session.commit()
            return [order.id]

    def batch(self, table, count):
        with Session(engine) as session:
            orders = [self.models.Order(n=n) for n in range(int(count))]
            session.add_all(orders)
            session.commit()
            return [order.id for order in orders]

    def numbers(self, query):
        with Session(engine) as session:
            return [order.n for order in session.scalars(query)]

    def page(self, table, last):
        Order = self.models.Order
        return self.numbers(select(Order).where(Order.id > UUID(last)).order_by(Order.id).limit(10))

    def range(self, table, begin, until):
        return self.between(datetime.fromisoformat(begin), datetime.fromisoformat(until))

    def unzoned(self, begin, until):
        return self.between(*(datetime.fromisoformat(time).replace(tzinfo=None) for time in (begin, until)))

    def between(self, begin, until):
        Order = self.models.Order
        # comb: range
        query = select(Order).where(func.comb_between(Order.id, begin, until)).order_by(Order.id)
        # end
        return self.numbers(query)

    def timestamp(self, table, layout, n):
        Order = self.models.Order
        with Session(engine) as session:
            timestamp = session.scalar(select(func.comb_timestamp(Order.id)).where(Order.n == int(n)))
        return [int(timestamp.timestamp() * 1000)]

    def newest(self, table):
        Order = self.models.Order
        return self.numbers(select(Order).order_by(Order.id.desc()).limit(1))

    def error(self, time):
        try:
            with Session(engine) as session:
                session.scalar(select(func.comb_at(datetime.fromisoformat(time))))
        except sqlalchemy.exc.DBAPIError as error:
            return [error.orig.sqlstate, error.orig.diag.message_primary, error.orig.diag.message_hint]

    def write(self, milliseconds, end, *bodies):
        with Session(engine) as session:
            session.add_all(self.models.Event(body=body) for body in bodies)
            session.flush()
            time.sleep(int(milliseconds) / 1000)
            session.commit() if end == "commit" else session.rollback()

    def poll(self, cursor, horizon):
        Event, cursor = self.models.Event, int(cursor)
        # comb: reader
        new = select(Event).where(Event.position > cursor).order_by(Event.position).limit(1000)
        settled = new.where(Event.position <= func.comb_number_horizon("events", "position", cursor))
        # end
        with Session(engine) as session:
            rows = session.scalars(settled if horizon == "yes" else new)
            return [value for row in rows for value in (row.position, row.body)]

    def avoided(self):
        with Session(engine) as session:
            session.add(self.models.Avoided(n=0))
            session.commit()

    def call(self, query):
        with Session(engine) as session:
            session.execute(text(query))
            session.commit()
