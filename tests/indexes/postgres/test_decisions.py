"""Decisions about names, as ``tests/indexes/entities`` has them, where the ledger is in PostgreSQL."""

import pytest

from tests.indexes.entities.test_decisions import *  # noqa: F403

pytestmark = [pytest.mark.integration, pytest.mark.long]

# Of a publish that was killed nothing is left here to be finished or abandoned: test_database.py has what follows
del test_a_killed_apply_is_finished_or_done_again  # noqa: F821
del test_an_undo_between_kill_and_recovery_is_published_after_it  # noqa: F821
