"""Corpora and their sources: the truth that names things."""

from __future__ import annotations

import shlex
import time
import unicodedata
from dataclasses import dataclass
from difflib import get_close_matches

from sqlalchemy import Row, func, insert, select, update

from clausegraph.core.errors import NotFoundError
from clausegraph.core.hashing import canonical_json
from clausegraph.core.text import LONGEST, checked_name
from clausegraph.indexes.ledger.decoding import TEXTS, decode_json
from clausegraph.indexes.ledger.schema import corpora, in_newest, members, pages, sources
from clausegraph.indexes.ledger.store import Ledger


@dataclass(frozen=True, slots=True)
class CorpusRow:
    """A corpus as the ledger knows it; ``newest`` and ``published`` are epoch numbers, 0 before the first."""

    id: int
    name: str
    newest: int
    published: int
    settings: dict[str, str]


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A named origin of pages within a corpus."""

    id: int
    name: str
    kind: str
    location: str
    pages: int = 0


def check_corpus_name(name: str) -> str:
    """A name that a corpus may have, in the form in which it is stored; errors as ``checked_name``."""
    return checked_name(name, "corpus", f"take 1 to {LONGEST} visible characters without '/'")


def ensure_corpus(ledger: Ledger, name: str, settings: dict[str, str]) -> CorpusRow:
    """The corpus of that name, made with ``settings`` if it is new."""
    name = check_corpus_name(name)
    with ledger.write() as connection:
        row = connection.execute(select(corpora).where(corpora.c.name == name)).fetchone()
        if row is None:
            values = {"name": name, "settings": canonical_json(settings), "newest": 0, "published": 0}
            connection.execute(insert(corpora).values(**values, created=time.time()))
            row = connection.execute(select(corpora).where(corpora.c.name == name)).one()
    return _corpus(row)


def get_corpus(ledger: Ledger, name: str, option: str = "--corpus ") -> CorpusRow:
    """The corpus of that name; ``option`` is how the command line is given one, empty for a plain argument.

    Raises:
        NotFoundError: no such corpus; the message lists those there are.
    """
    name = unicodedata.normalize("NFC", name)
    with ledger.read() as connection:
        row = connection.execute(select(corpora).where(corpora.c.name == name)).fetchone()
        if row is None:
            names = [other.name for other in connection.execute(select(corpora.c.name).order_by(corpora.c.name))]
            afar = f"no corpus {name[:80]!r}; the list of corpora has those that you may see"
            raise NotFoundError(f"no corpus named {name!r} in {ledger.path}{_instead(name, names, option)}", afar=afar)
    return _corpus(row)


def _instead(name: str, names: list[str], option: str) -> str:
    """What may have been meant; how to make a corpus only where there is none, as a name may be misspelt."""
    if not names:
        return f", nor any other; `clausegraph ingest SOURCE --corpus {shlex.quote(name)}` makes it"
    known = f" (there {'is' if len(names) == 1 else 'are'}: {', '.join(names)}); "
    if near := get_close_matches(name, names, n=1):
        return f"{known}did you mean {near[0]!r}?"
    return f"{known}give {option}{shlex.quote(names[0]) if len(names) == 1 else 'NAME'}"


def list_corpora(ledger: Ledger) -> list[CorpusRow]:
    """Every corpus, by name."""
    with ledger.read() as connection:
        return [_corpus(row) for row in connection.execute(select(corpora).order_by(corpora.c.name))]


def _corpus(row: Row[tuple[object, ...]]) -> CorpusRow:
    return CorpusRow(
        row.id, row.name, row.newest, row.published, decode_json(corpora.c.settings, row.id, row.settings, TEXTS)
    )


def ensure_source(ledger: Ledger, corpus_id: int, name: str, kind: str, location: str) -> int:
    """Id of the source of that name; its location is kept up to date."""
    mine = (sources.c.corpus_id == corpus_id, sources.c.name == name)
    with ledger.write() as connection:
        row = connection.execute(select(sources).where(*mine)).fetchone()
        if row is None:
            values = {"corpus_id": corpus_id, "name": name, "kind": kind, "location": location}
            return int(connection.execute(insert(sources).values(**values).returning(sources.c.id)).scalar_one())
        if (row.kind, row.location) != (kind, location):
            connection.execute(update(sources).where(*mine).values(kind=kind, location=location))
        return int(row.id)


def list_sources(ledger: Ledger, corpus_id: int) -> list[SourceRow]:
    """The sources of a corpus with their number of pages in the newest state."""
    counted = (
        select(sources, func.count(members.c.id).label("held"))
        .outerjoin(pages, pages.c.source_id == sources.c.id)
        .outerjoin(members, (members.c.page_id == pages.c.id) & in_newest(members))
        .where(sources.c.corpus_id == corpus_id)
        .group_by(sources.c.id)
        .order_by(sources.c.name)
    )
    with ledger.read() as connection:
        return [SourceRow(r.id, r.name, r.kind, r.location, r.held) for r in connection.execute(counted)]
