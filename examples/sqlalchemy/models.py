"""The tables, and what SQLAlchemy has to know of comb."""

# comb: model
import uuid

import sqlalchemy as sa
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
# end

# comb: type
from sqlalchemy.dialects.postgresql.base import ischema_names
# end


# comb: type
class UniqueIdentifier(sa.types.UserDefinedType):
    cache_ok = True

    def get_col_spec(self, **kw):
        return "uniqueidentifier"

    def bind_processor(self, dialect):
        return lambda value: None if value is None else str(value)

    def result_processor(self, dialect, coltype):
        return lambda value: None if value is None else uuid.UUID(str(value))


ischema_names["uniqueidentifier"] = UniqueIdentifier  # for reflection and Alembic
# end


# comb: model
class Base(DeclarativeBase):
    pass


class Order(Base):
    __tablename__ = "orders"
    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, server_default=sa.func.comb_new(monotonic=True))
    n: Mapped[int | None]
# end


# comb: model_legacy
class Legacy(Base):
    __tablename__ = "legacy"
    # Not monotonic: SQLAlchemy would sort the returned keys itself, in another order.
    id: Mapped[uuid.UUID] = mapped_column(UniqueIdentifier, primary_key=True, server_default=sa.func.comb_new_mssql())
    n: Mapped[int | None]
# end
