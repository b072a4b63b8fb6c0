"""The contract of graphs, and what readers see of epochs, where the ledger is in PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from clausegraph.indexes.graph.protocol import Graph
from clausegraph.indexes.graph.sql import SqlGraph
from tests.contracts.graph.conftest import Opener
from tests.contracts.graph.scripted import Town
from tests.contracts.graph.test_graph import *  # noqa: F403
from tests.harness.postgres import new_address
from tests.indexes.ledger.test_freezing import *  # noqa: F403
from tests.law.world import World

pytestmark = [pytest.mark.integration, pytest.mark.long]


@pytest.fixture
def world() -> Iterator[World]:
    made = World(address=new_address())
    yield made
    made.close()


@pytest.fixture
def opened() -> Opener:
    return lambda ledger, corpus_id, _, epoch: SqlGraph(ledger, corpus_id, epoch)


@pytest.fixture
def at(town: Town, opened: Opener) -> Callable[[int], Graph]:
    return lambda epoch: opened(town.ledger, town.id, town.corpus, epoch)
