"""Which names may stand for one entity, and which do in an epoch, with how often such pairs are right.

Names are grouped by ``variants.signature``, so that only those are compared that share all their content words. What
``variants`` finds to tell two things apart (numbers, dates, negations, opposites, another head) is never proposed, nor
are names of one content word: of 24 that people judged 9 were right. Abbreviations need no proposal: pages define them.

The score of a pair is the share of such pairs that were right when people judged them (``JUDGED``, with one right and
one wrong pair added), and slightly more where both names are written often. Nothing is merged here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, combinations
from typing import Any

from sqlalchemy import Connection, Row, select

from clausegraph.core.language.definitions import initials
from clausegraph.core.serial import statement_from_text
from clausegraph.core.types import LITERAL, Literal, Mention, PageKey, Statement
from clausegraph.indexes.derive import DEFINITIONS
from clausegraph.indexes.entities.decisions import Proposed, list_decisions
from clausegraph.indexes.entities.names import ACCEPTED, PROPOSED, REJECTED, definition_of, names_at, wanted_names
from clausegraph.indexes.entities.variants import Variant, signature, variant
from clausegraph.indexes.ledger.cells import decode
from clausegraph.indexes.ledger.schema import IS_FACT, on_pages, pages, seen_at, sources, supports
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.indexes.truth import load_rules, load_rules_of

# (right, judged) on the pages of two corpora, looked at one by one; see the score above
JUDGED = {Variant.ACRONYM: (17, 17), Variant.WORDING: (28, 28), Variant.ORDER: (8, 9)}
UNTYPED = frozenset({"thing", "topic"})  # what an extractor says that knows no type: may be of any
PRONOUNS = frozenset({"you", "we"})  # keys of the reader and the author of a page
MAX_WORDS = 12  # a longer "name" is a clause, and clauses are not merged
_OFTEN = 20  # supports or pages, at most, that make a score slightly higher
_CUT_OFF = re.compile(r"['’]s(?: \(|$)|\bon \w+ own\b")


@dataclass(slots=True)
class Profile:
    """An entity at one epoch: statements and rules that mention it, types of its mentions, and how pages write it."""

    key: str
    supports: int = 0
    types: Counter[str] = field(default_factory=Counter)
    surfaces: Counter[str] = field(default_factory=Counter)

    def add(self, mention: Mention) -> None:
        """Count a statement or rule that mentions it."""
        self.supports += 1
        self.surfaces[mention.surface] += 1
        self.types[mention.type] += 1


def entity_profiles(
    ledger: Ledger, corpus_id: int, epoch: int, names: Collection[str] | None = None
) -> dict[str, Profile]:
    """The entities that an epoch's statements and rules mention, by key: every one, or those of the names."""
    shown = (supports.c.corpus_id == corpus_id, seen_at(supports, epoch), IS_FACT)
    query = select(supports.c.id, supports.c.subject, supports.c.object, supports.c.statement).where(*shown)
    if names is None:
        rows: Iterable[Row[Any]] = ledger.rows(query)
    else:  # two lookups, each by an index
        rows = chain(*(ledger.rows_of(query, end, names) for end in (supports.c.subject, supports.c.object)))
    found: dict[str, Profile] = {}
    for row in {row.id: row for row in rows}.values():
        _count(found, row)
    mine = (ledger, corpus_id, epoch)
    for one in load_rules(*mine) if names is None else load_rules_of(*mine, names):
        for key, role in zip(one.entities, one.rule.roles, strict=True):
            found.setdefault(key, Profile(key)).add(role.entity)
    return found if names is None else {key: found[key] for key in found if key in names}


def _count(found: dict[str, Profile], row: Any) -> None:
    statement = decode(supports.c.statement, row.id, row.statement, statement_from_text)
    ends = {row.subject: statement.subject}
    if isinstance(statement.object, Mention) and not row.object.startswith(LITERAL):
        ends.setdefault(row.object, statement.object)
    for key, mention in ends.items():
        if not key.startswith(LITERAL):
            found.setdefault(key, Profile(key)).add(mention)


def propose(
    ledger: Ledger, corpus_id: int, epoch: int, of_type: str | None = None
) -> tuple[list[Proposed], dict[str, Profile]]:
    """The pairs of an epoch's names that somebody should decide about, best first, and every profile.

    Pairs that were decided, that are one entity by what was accepted, or whose name has an open proposal
    already are left out; each name is proposed to be taken for one other at most.
    """
    profiles = entity_profiles(ledger, corpus_id, epoch)
    rows = list_decisions(ledger, corpus_id)
    with ledger.read() as connection:
        names = wanted_names(connection, corpus_id)
    rejected = {frozenset((row.name, row.entity)) for row in rows if row.state == REJECTED}
    taken = set(names) | {row.name for row in rows if row.state == PROPOSED and row.entity in profiles}
    chosen = []
    for one in sorted(same_names(profiles, of_type), key=lambda one: (-one.score, one.name, one.entity)):
        same = names.get(one.name, one.name) == names.get(one.entity, one.entity)
        if one.name not in taken and not same and frozenset((one.name, one.entity)) not in rejected:
            taken.add(one.name)
            chosen.append(one)
    return chosen, profiles


def same_names(profiles: Mapping[str, Profile], of_type: str | None = None) -> Iterator[Proposed]:
    """Every pair that may be one entity; the name with fewer supports is taken for the other."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for key in sorted(profiles):
        found = signature(key) if len(key.split()) <= MAX_WORDS and _is_name(profiles[key]) else ()
        if len(found) > 1:
            alike.setdefault(found, []).append(key)
    for one, other in (pair for group in alike.values() for pair in combinations(group, 2)):
        how, kind = variant(one, other), _common_type(profiles[one], profiles[other])
        if how is None or kind is None or of_type not in (None, kind):
            continue
        entity, name = sorted((one, other), key=lambda key: (-profiles[key].supports, -len(key), key))
        evidence = {"origin": "review", "type": kind, "variant": how.value}
        yield Proposed(name, entity, _score(*JUDGED[how], profiles[name].supports), evidence)


def _score(right: int, judged: int, often: int) -> float:
    """The share of pairs that were right, and slightly more for what is written or said often."""
    return round(min(1.0, (right + 1) / (judged + 2) + min(often, _OFTEN) / 1000), 4)


def _common_type(one: Profile, other: Profile) -> str | None:
    """A type that both have, or that of the one where the other has none; None where they are of two types."""
    shared = one.types & other.types
    if shared:
        return min(shared, key=lambda kind: (-shared[kind], kind))
    known = [kind for profile in (one, other) for kind in sorted(profile.types) if kind not in UNTYPED]
    if any(UNTYPED & set(profile.types) for profile in (one, other)):
        return known[0] if known else "thing"
    return None


def _is_name(profile: Profile) -> bool:
    """False for the reader and the author of a page, and for what is somebody's and cut off: "person's (…)"."""
    return profile.key not in PRONOUNS and not any(_CUT_OFF.search(surface) for surface in profile.surfaces)


# (right, judged) of what pages define, looked at one by one; the share is counted as ``proposals`` counts it
SHORT_FORMS = (78, 79)  # "Disclosure and Barring Service (DBS)"
CALLED = (1, 1)  # "a Funeral Expenses Payment (also called a Funeral Payment)"


@dataclass(frozen=True, slots=True)
class MergeInForce:
    """A name that an epoch takes for an entity, since which epoch, and why: pages define it, or somebody decided.

    ``stated`` is how the first page that defines it says so, and ``written`` has both as that writes them; ``by`` is
    who decided. All are empty where it follows from others.
    """

    name: str
    entity: str
    score: float
    since: int
    stated: tuple[PageKey, Statement] | None = None
    written: tuple[str, str] | None = None
    by: str = ""


@dataclass(slots=True)
class _Defined:
    """What pages define alike: how the first says so, both names as that writes them, how many pages there are."""

    stated: tuple[PageKey, Statement]
    written: tuple[str, str]
    pages: int = 0

    @property
    def score(self) -> float:
        alias, name = self.written
        made = set(initials(name))
        right, judged = SHORT_FORMS if {alias.lower(), alias.lower().removesuffix("s")} & made else CALLED
        return _score(right, judged, self.pages)


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
            made.append(MergeInForce(name, entity, best.score, since, best.stated, best.written))
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
    columns = (supports.c.id, supports.c.page_id, supports.c.statement, sources.c.name.label("source"), pages.c.uri)
    query = select(*columns).select_from(on_pages(supports)).where(*shown)
    for row in connection.execute(query.order_by(supports.c.id)):
        stated = decode(supports.c.statement, row.id, row.statement, statement_from_text)
        one = definition_of(row.statement, row.page_id)
        alias = stated.object.value if isinstance(stated.object, Literal) else stated.object.surface
        first = _Defined((PageKey(row.source, row.uri), stated), (alias, stated.subject.surface))
        found.setdefault((one.name, one.entity), first).pages += 1
        phrases.add(one.both)
    return found, phrases
