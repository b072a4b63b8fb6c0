"""The contract of graphs where the ledger is in PostgreSQL."""

from collections.abc import Callable

import pytest

from clausegraph.indexes.graph.protocol import Graph
from clausegraph.indexes.graph.sql import SqlGraph
from tests.contracts.graph.conftest import Opener
from tests.contracts.graph.scripted import Town
from tests.contracts.graph.test_graph import *  # noqa: F403

pytestmark = [pytest.mark.integration, pytest.mark.long]


@pytest.fixture
def opened() -> Opener:
    return lambda ledger, corpus_id, _, epoch: SqlGraph(ledger, corpus_id, epoch)


@pytest.fixture
def at(town: Town, opened: Opener) -> Callable[[int], Graph]:
    return lambda epoch: opened(town.ledger, town.id, town.corpus, epoch)
