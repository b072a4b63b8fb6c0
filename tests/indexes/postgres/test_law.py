"""The law where the ledger is in PostgreSQL: the clean builds that its epochs equal are files of SQLite."""

import pytest

from tests.harness.postgres import new_address
from tests.law.test_law import Law, examples
from tests.law.world import World

pytestmark = pytest.mark.integration


class LawOnPostgres(Law):
    """The law's world in a schema of its own."""

    def make_world(self) -> World:
        return World(address=new_address())


TestLawOnPostgres = LawOnPostgres.TestCase
TestLawOnPostgres.settings = examples(2, 8)


@pytest.mark.long
class TestLawOnPostgresForLong(TestLawOnPostgres):
    settings = examples(60, 15)
