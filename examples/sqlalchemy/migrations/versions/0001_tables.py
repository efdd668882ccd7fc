# comb: migration
import sqlalchemy as sa
from alembic import op
# end

from models import UniqueIdentifier

revision = "0001"
down_revision = None


# comb: migration
def upgrade():
    op.execute("CREATE EXTENSION IF NOT EXISTS comb")
    op.create_table(
        "orders",
        sa.Column("id", sa.Uuid(), server_default=sa.text("comb_new()"), primary_key=True),
        sa.Column("n", sa.Integer()),
    )
    # end
    op.create_table(
        "legacy",
        sa.Column("id", UniqueIdentifier(), server_default=sa.text("comb_new_mssql()"), primary_key=True),
        sa.Column("n", sa.Integer()),
    )
