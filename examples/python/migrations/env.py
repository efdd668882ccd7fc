from alembic import context

config = context.config.attributes
context.configure(
    connection=config["connection"],
    target_metadata=config["metadata"],
    include_object=config["include_object"],
    compare_server_default=True,
)
context.run_migrations()
