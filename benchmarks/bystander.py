"""Processes beside a writer, until a line comes on their standard input: ``read HOME CORPUS`` and ``lock HOME``.

Prints JSON: of ``read`` [when it began, seconds] of every look at a view that was opened for it; of ``lock`` [when it
began, seconds] of every span in which the write lock was another's whenever it was asked for, each 2 ms.
"""

from __future__ import annotations

import json
import select
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path

from clausegraph.core.models.embedding import HashingEmbedder
from clausegraph.indexes.ledger.store import open_to_read
from clausegraph.indexes.views import open_view

Spans = list[tuple[float, float]]
_EVERY_S = 0.002
_LIMIT = 20


def read(home: Path, corpus: str, dimension: int) -> Spans:
    """Open a view, search its elements, close it; again and again."""
    found = []
    vector = HashingEmbedder(dimension).embed_query("Who can get the grant?")
    with open_to_read(home) as ledger:
        while not _is_over():
            begun = time.monotonic()
            with open_view(ledger, corpus) as view:
                hits = view.search("element", vector, _LIMIT)
                view.reading(hits[0].page or view.page_keys()[0])
            found.append((begun, time.monotonic() - begun))
            time.sleep(_EVERY_S)
    return found


def lock(home: Path) -> Spans:
    """Ask for the write lock and give it back at once."""
    found: Spans = []
    busy_since = 0.0
    with closing(sqlite3.connect(home / "ledger.db", timeout=0, isolation_level=None)) as connection:
        while not _is_over():
            asked = time.monotonic()
            try:
                connection.execute("BEGIN IMMEDIATE")
                connection.execute("ROLLBACK")
            except sqlite3.OperationalError:
                busy_since = busy_since or asked
            else:
                if busy_since:
                    found.append((busy_since, asked - busy_since))
                busy_since = 0.0
            time.sleep(_EVERY_S)
    return found


def _is_over() -> bool:
    return bool(select.select([sys.stdin], [], [], 0)[0])


if __name__ == "__main__":
    home = Path(sys.argv[2])
    print(json.dumps(read(home, sys.argv[3], int(sys.argv[4])) if sys.argv[1] == "read" else lock(home)))
