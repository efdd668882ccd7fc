"""The models of SQLAlchemy, with which Alembic compares the database."""

# comb: model
from uuid import UUID

from sqlalchemy import BigInteger, Identity, func
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Base(DeclarativeBase):
    pass


class Order(Base):
    __tablename__ = "orders"
    id: Mapped[UUID] = mapped_column(primary_key=True, server_default=func.comb_new())
    n: Mapped[int]


class Event(Base):
    __tablename__ = "events"
    position: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    body: Mapped[str]
# end


from uuid import uuid4


class Avoided(Base):
    __tablename__ = "avoided"
    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4, server_default=func.comb_new())
    n: Mapped[int]


METADATA = Base.metadata
