"""What is left of a page: its words, its stored forms and its vectors, byte by byte in every file of a home folder."""

from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import select

from clausegraph.indexes.ledger.schema import blobs, embeddings, epochs, extractions, page_versions, segments
from clausegraph.indexes.ledger.store import open_ledger
from clausegraph.indexes.words import stems

_WINDOW = 20  # bytes of a stored value that are looked for: a value may lie on two pages of the database
_STORED = ((page_versions, "reading"), (blobs, "data"), (extractions, "data"), (embeddings, "data"))
_DATABASES = ("ledger.db", "responses.db")


def traces(home: Path, words: list[str], kept: Path) -> dict[bytes, str]:
    """What tells that something of ``home`` is still there: the words, and parts of every stored value, compressed
    ones and vectors, that a home without it, ``kept``, does not have; each with what it is of."""
    with open_ledger(home) as ledger, ledger.read() as connection:
        values = [
            (f"{table.name}.{column}", bytes(value))
            for table, column in _STORED
            for value in connection.execute(select(table.c[column])).scalars()
        ]
    others = b"".join(data for _, data in _bytes_of(kept))
    found = {form.encode(): f"the word {word}" for word in words for form in (word, *stems(word))}
    for what, value in values:
        for start in (len(value) // 4, len(value) // 2, len(value) - _WINDOW - 4):
            part = value[max(0, start) : max(0, start) + _WINDOW]
            if part not in others and part.strip(b"\0"):
                found[part] = what
    return found


def left_in(home: Path, looked_for: dict[bytes, str]) -> list[str]:
    """Which of the traces are in which file."""
    return [
        f"{path.relative_to(home)} has {what}"
        for path, data in _bytes_of(home)
        for part, what in looked_for.items()
        if part in data or part in str(path).encode()
    ]


def unlisted(home: Path) -> list[str]:
    """Files that neither the ledger lists nor are always there."""
    known = {f"{name}{suffix}" for name in _DATABASES for suffix in ("", "-wal", "-shm")} | {"access/certificates.key"}
    with open_ledger(home) as ledger, ledger.read() as connection:
        for row in connection.execute(select(segments.c.corpus_id, segments.c.file)):
            known.add(f"segments/{row.corpus_id}/{row.file}")
        for row in connection.execute(select(epochs.c.corpus_id, epochs.c.number).where(epochs.c.state == "flipped")):
            known.add(f"readers/{row.corpus_id}-{row.number}")
    return sorted(str(path.relative_to(home)) for path in _files(home) if str(path.relative_to(home)) not in known)


def _bytes_of(home: Path) -> Iterator[tuple[Path, bytes]]:
    for path in _files(home):
        yield path, path.read_bytes()


def _files(home: Path) -> list[Path]:
    return sorted(path for path in home.rglob("*") if path.is_file())
