"""The same models of SQLModel."""

from uuid import UUID, uuid4

from sqlalchemy import BigInteger, Column, Identity, func
from sqlmodel import Field, SQLModel


class Order(SQLModel, table=True):
    __tablename__ = "orders"
    id: UUID | None = Field(default=None, primary_key=True, sa_column_kwargs={"server_default": func.comb_new()})
    n: int


class Event(SQLModel, table=True):
    __tablename__ = "events"
    position: int | None = Field(default=None, sa_column=Column(BigInteger, Identity(always=True), primary_key=True))
    body: str


METADATA = SQLModel.metadata


class Avoided(SQLModel, table=True):
    __tablename__ = "avoided"
    id: UUID = Field(default_factory=uuid4, primary_key=True, sa_column_kwargs={"server_default": func.comb_new()})
    n: int
