"""A process that publishes with Neo4j as a required projection, over and over, until it is killed."""

import random
from pathlib import Path

from clausegraph.indexes.graph.neo4j.projection import Neo4jProjection
from clausegraph.indexes.graph.neo4j.server import Address, Neo4jServer
from clausegraph.indexes.ledger.store import open_ledger
from tests.contracts.graph.scripted import Town
from tests.harness.writes import kill_this_process_at

BATCH = 40  # relationships a transaction, so that there are many moments to die at
PAGES = 12


def edit(town: Town, seed: int) -> None:
    """Change half of the pages: statements and rules come, go, come back, and move between pages."""
    chosen = random.Random(seed)
    for number in range(PAGES):
        if chosen.random() < 0.5 or not (town.folder / f"p{number}.html").exists():
            kinds = [chosen.randrange(12) for _ in range(8)]
            lines = [f"benefit {kind % 5} | {'pays' if kind % 2 else 'needs'} | thing {kind}" for kind in kinds]
            lines += [f"benefit {number} | pays | =£{kind}00 | if over {kind} | unless abroad" for kind in kinds]
            town.write(f"p{number}", *dict.fromkeys(lines))
            said = [f"{'exclusion' if kind % 2 else 'eligibility'} | about benefit {kind % 3}" for kind in kinds[:5]]
            ruled = (
                f"rule | {one} | object thing {kind % 4} | if over {kind}"
                for one, kind in zip(said, kinds, strict=False)
            )
            town.write(f"r{number}", *dict.fromkeys(ruled))


def reopened(root: Path) -> Town:
    """The town of another process."""
    town = Town.__new__(Town)
    town.corpus, town.root, town.folder = "town", root, root / "pages"
    town.ledger = open_ledger(root / "home")
    return town


def publish(town: Town, address: Address) -> None:
    """One run, Neo4j included; it recovers first what a killed one left."""
    with Neo4jProjection(town.ledger, Neo4jServer(address), batch=BATCH) as projection:
        with town.taking_along(projection):
            town.publish()
        projection.catch_up(1)


def run(root: Path, address: Address, seed: int, last: int) -> None:
    """Edit and publish until killed, at the ``last`` write to ledger or Neo4j."""
    town = reopened(root)
    kill_this_process_at(last, root)
    while True:
        edit(town, seed)
        publish(town, address)
        seed += 1000
