"""The tables, and the triggers of the outbox."""

revision, down_revision = "1", None

import sqlalchemy as sa
from alembic import op


# comb: migration
def upgrade():
    op.execute("CREATE EXTENSION IF NOT EXISTS comb")
    op.create_table(
        "orders",
        sa.Column("id", sa.Uuid(), server_default=sa.text("comb_new()"), primary_key=True),
        sa.Column("n", sa.Integer(), nullable=False),
    )
    op.create_table(
        "events",
        sa.Column("position", sa.BigInteger(), sa.Identity(always=True), primary_key=True),
        sa.Column("body", sa.String(), nullable=False),
    )
    op.execute("CALL comb_enable_polls('events', 'position')")
# end
