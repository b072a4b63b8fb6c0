"""Alembic's entry: runs the migrations on the connection that ``indexes.ledger.migrate`` hands over."""

from alembic import context

from clausegraph.indexes.ledger.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transactional_ddl=False,  # the caller holds the transaction
)
context.run_migrations()
