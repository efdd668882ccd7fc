from alembic import context

from models import Base

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=Base.metadata, compare_server_default=True)
with context.begin_transaction():
    context.run_migrations()
