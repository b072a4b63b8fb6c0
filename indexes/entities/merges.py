"""What stands for one entity, whoever said so, ranked as a curator looks at it: by how often such pairs are right."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, select

from clausegraph.core.language.definitions import initials
from clausegraph.core.serial import statement_from_text
from clausegraph.core.types import Literal
from clausegraph.indexes.derive import DEFINITIONS
from clausegraph.indexes.entities.decisions import list_decisions
from clausegraph.indexes.entities.names import ACCEPTED, definition_of, names_at
from clausegraph.indexes.ledger.decoding import decode
from clausegraph.indexes.ledger.schema import seen_at, supports
from clausegraph.indexes.ledger.store import Ledger

# (right, judged) of what pages define, looked at one by one; the share is counted as ``proposals`` counts it
SHORT_FORMS = (78, 79)  # "Disclosure and Barring Service (DBS)"
CALLED = (1, 1)  # "a Funeral Expenses Payment (also called a Funeral Payment)"
_OFTEN = 20  # pages, at most, that make a score slightly higher


@dataclass(frozen=True, slots=True)
class MergeInForce:
    """A name that an epoch takes for an entity, since which epoch, and why: pages define it, or somebody decided.

    ``fact`` says so, of the pages that define it, and ``written`` has both as the first of them writes them; ``by`` is
    who decided. All are empty where it follows from others.
    """

    name: str
    entity: str
    score: float
    since: int
    fact: str = ""
    written: tuple[str, str] | None = None
    by: str = ""


@dataclass(slots=True)
class _Defined:
    """What pages define alike: the fact, both names as the first writes them, and how many pages there are."""

    fact: str
    written: tuple[str, str]
    pages: int = 0

    @property
    def score(self) -> float:
        alias, name = self.written
        made = set(initials(name))
        right, judged = SHORT_FORMS if {alias.lower(), alias.lower().removesuffix("s")} & made else CALLED
        return round(min(1.0, (right + 1) / (judged + 2) + min(self.pages, _OFTEN) / 1000), 4)


def merges_in_force(ledger: Ledger, corpus_id: int, epoch: int) -> list[MergeInForce]:
    """Every name that the epoch takes for another, best first; the phrase that defines one is no name of its own."""
    decided = {row.name: row for row in list_decisions(ledger, corpus_id, ACCEPTED)}
    with ledger.read() as connection:
        now = names_at(connection, corpus_id, epoch)
        defined, phrases = _definitions(connection, corpus_id, epoch)
    made = []
    for name, (entity, since) in now.items():
        said = [pair for pair in defined if pair[0] == name and now.get(pair[1], (pair[1], 0))[0] == entity]
        if (row := decided.get(name)) is not None:
            made.append(MergeInForce(name, entity, row.score, since, by=row.decided_by or ""))
        elif said:
            best = defined[max(said, key=lambda pair: (pair[1] == entity, defined[pair].pages, pair))]
            made.append(MergeInForce(name, entity, best.score, since, best.fact, best.written))
        elif name not in phrases:
            made.append(MergeInForce(name, entity, 0.0, since))
    return sorted(made, key=lambda one: (-one.score, one.name))


def _definitions(
    connection: Connection, corpus_id: int, epoch: int
) -> tuple[dict[tuple[str, str], _Defined], set[str]]:
    """What the pages of the epoch define, by name and entity, and the phrases that do so."""
    found: dict[tuple[str, str], _Defined] = {}
    phrases: set[str] = set()
    shown = (supports.c.corpus_id == corpus_id, seen_at(supports, epoch), supports.c.extractor == DEFINITIONS)
    query = select(supports.c.id, supports.c.page_id, supports.c.fact_id, supports.c.statement).where(*shown)
    for row in connection.execute(query.order_by(supports.c.id)):
        stated = decode(supports.c.statement, row.id, row.statement, statement_from_text)
        one = definition_of(row.statement, row.page_id)
        alias = stated.object.value if isinstance(stated.object, Literal) else stated.object.surface
        found.setdefault((one.name, one.entity), _Defined(row.fact_id, (alias, stated.subject.surface))).pages += 1
        phrases.add(one.both)
    return found, phrases
