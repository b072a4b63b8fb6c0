"""What every graph store answers, and what follows the ledger; the contract suite holds each to it.

A ``Graph`` is one corpus at one epoch, read-only. Its methods return sets, cut where they are cut by a total
order (hop, then descending support count, then id), so that every store gives the same list. An empty list of names,
ids or relations asks for nothing and gets nothing.

A required projection that fails stops a publish before the flip: the epoch stays frozen, readers see the old one, and
the next run finishes or abandons it. What an optional one missed shows in its status, and the next publish brings it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from clausegraph.core.errors import StoreError
from clausegraph.core.language.normalise import entity_key
from clausegraph.core.telemetry.logs import logger
from clausegraph.core.types import LITERAL, Fact, PageKey, PlacedRule, Support

MAX_TOKENS = 500  # of a query
CANDIDATES = 400  # names of the epoch looked at per query, best token overlap first


@dataclass(frozen=True, slots=True)
class EntityHit:
    """An entity of which a name, its own or one that is taken for it, shares ``matched`` of its ``total`` tokens
    with a query: the name of which the greatest part is shared."""

    key: str
    matched: int
    total: int
    supports: int


@dataclass(frozen=True, slots=True)
class GraphCounts:
    """Distinct entities and facts, the supports that state them, and the rules."""

    entities: int
    facts: int
    supports: int
    rules: int = 0


class Graph(Protocol):
    """The graph of one corpus at one epoch."""

    def entities(self, names: Sequence[str], limit: int = 20) -> list[EntityHit]:
        """Entities with a visible support that share tokens with ``names`` (tokens of a question).

        Order: matched tokens descending, total tokens ascending, key.
        """

    def named(self, names: Sequence[str], *, normalised: bool = False) -> dict[str, str]:
        """Those of the names that name an entity with a visible support, name → the entity's key.

        A name is an entity's key or one that the epoch takes for it; ``normalised`` brings what is given into
        the form of keys first.
        """

    def names(self) -> dict[str, str]:
        """The names that the epoch takes for another entity, name → entity, by name."""

    def neighbourhood(
        self, keys: Sequence[str], hops: int = 1, limit: int = 200, relations: Sequence[str] | None = None
    ) -> list[Fact]:
        """Distinct facts within ``hops`` (1 or 2) of the entities, of these relations, cut to ``limit``.

        Order: hop, support count descending, fact id. Literals are not walked through, nor are facts that were cut.
        """

    def facts(self, ids: Sequence[str]) -> list[Fact]:
        """The facts of these ids that hold at the epoch, in the order given."""

    def supports(self, fact_ids: Sequence[str]) -> list[Support]:
        """Every visible support of these facts, by page, chunk and content."""

    def supports_on(self, page: PageKey, anchors: Sequence[str]) -> list[Support]:
        """The visible supports of a page that state something on one of the anchors."""

    def rules_of(self, entities: Sequence[str], limit: int = 200) -> list[PlacedRule]:
        """The rules in which one of the entities has a role, by page and key, cut to ``limit``."""

    def rules_on(self, page: PageKey) -> list[PlacedRule]:
        """The rules of a page, by key."""

    def all_rules(self) -> list[PlacedRule]:
        """Every rule, by page and key."""

    def relations(self) -> dict[str, int]:
        """Every relation of the epoch with its number of supports, by name."""

    def counts(self) -> GraphCounts:
        """How much graph there is at the epoch."""

    def all_supports(self) -> list[Support]:
        """Every visible support, by page, chunk and content: for exports and dumps."""


def entity_ends(facts: Iterable[Fact]) -> list[str]:
    """The ends of facts that are entities, each once, in order."""
    ends = (end for fact in facts for end in (fact.subject, fact.object))
    return [end for end in dict.fromkeys(ends) if not end.startswith(LITERAL)]


SupportKey = tuple[str, str, str, str]  # source, uri, chunk, content: the order in which supports are returned


def in_order(found: Iterable[tuple[SupportKey, Support]]) -> list[Support]:
    """The supports by page, chunk and content; by code points, whatever the store sorts by."""
    return [support for _, support in sorted(found, key=lambda item: item[0])]


class StoredGraph:
    """What every ``Graph``, which documents the methods, does alike, by what each looks up itself: facts, aliases and
    numbers of supports."""

    def _candidates(self, tokens: Sequence[str]) -> Iterator[Mapping[str, int]]:
        """Names and how many tokens they share, in parts, by shared tokens descending, length, name."""
        raise NotImplementedError

    def _aliases(self, names: Sequence[str]) -> Mapping[str, str]:
        """Those of the names that the epoch takes for another entity."""
        raise NotImplementedError

    def held(self, keys: Sequence[str]) -> Mapping[str, int]:
        """How many visible statements and roles in rules each of those entities has that has any."""
        raise NotImplementedError

    def _facts_of(self, ids: Sequence[str]) -> Iterable[Fact]:
        """The facts of these ids that hold, in any order."""
        raise NotImplementedError

    def entities(self, names: Sequence[str], limit: int = 20) -> list[EntityHit]:
        wanted = sorted(set(names))[:MAX_TOKENS]
        best: dict[str, EntityHit] = {}
        looked_at = 0
        for found in self._candidates(wanted) if wanted else ():
            taken_for = self._aliases(list(found))
            counts = self.held(sorted({taken_for.get(name, name) for name in found}))
            for name, shared in found.items():
                key = taken_for.get(name, name)
                if key not in counts or looked_at == CANDIDATES:
                    continue
                looked_at += 1  # what the epoch does not show takes no place of what it does
                hit = EntityHit(key, shared, len(set(name.split())), counts[key])
                best[key] = max(best.get(key, hit), hit, key=lambda one: (one.matched / one.total, one.matched))
            if looked_at == CANDIDATES:
                break
        return sorted(best.values(), key=lambda hit: (-hit.matched, hit.total, hit.key))[:limit]

    def named(self, names: Sequence[str], *, normalised: bool = False) -> dict[str, str]:
        keys = {name: entity_key(name) if normalised else name for name in names if not name.startswith(LITERAL)}
        taken_for = self._aliases(sorted(set(keys.values())))
        resolved = {name: taken_for.get(key, key) for name, key in keys.items()}
        counts = self.held(sorted(set(resolved.values())))
        return {name: entity for name, entity in resolved.items() if entity in counts}

    def facts(self, ids: Sequence[str]) -> list[Fact]:
        wanted = list(dict.fromkeys(ids))
        found = {fact.id: fact for fact in self._facts_of(wanted)} if wanted else {}
        return [found[identity] for identity in wanted if identity in found]


@dataclass(frozen=True, slots=True)
class ProjectionStatus:
    """Where a projection stands. ``state`` is current, lagging, absent (nothing there yet, or wiped), interrupted
    (a write was killed) or diverged (it has a history that is not this ledger's); ``reason`` says it in words."""

    state: str
    prepared: int  # every row up to this epoch is there
    published: int  # what it says readers get; a copy, for analysts
    ledger_newest: int
    ledger_published: int
    reason: str = ""


@dataclass(slots=True)
class ProjectionReport:
    """What a write did: how, up to which epoch, rows written, closed and removed, seconds."""

    action: str  # none, load, extend, reconcile, rebuild
    epoch: int
    written: int = 0
    closed: int = 0
    removed: int = 0
    seconds: float = 0.0


class GraphProjection(Protocol):
    """A copy of the ledger's graph in a server. The ledger is the truth; every method can be repeated."""

    name: str

    def prepare(self, corpus_id: int, epoch: int) -> ProjectionReport:
        """Bring every row up to ``epoch``, frozen or flipped, to the server; readers of older epochs see nothing."""

    def publish(self, corpus_id: int) -> None:
        """Copy the ledger's newest and published numbers, after a flip or a rollback."""

    def vacuum(self, corpus_id: int) -> int:
        """Remove what the ledger's vacuum has removed; returns the number of rows."""

    def forget_dropped(self) -> None:
        """Remove every corpus that the ledger has no more."""

    def catch_up(self, corpus_id: int) -> ProjectionReport:
        """Bring the server to the newest epoch: after a time without it, an old backup, or a wipe."""

    def status(self, corpus_id: int) -> ProjectionStatus:
        """Where the projection stands."""

    def verify(self, corpus_id: int) -> list[str]:
        """What differs from the ledger, in words."""

    def contents(self, corpus_id: int) -> Iterator[tuple[str, str]]:
        """Where each node and relationship is, and all that it has as JSON."""


_log = logger(__name__)


@dataclass(frozen=True, slots=True)
class Projections:
    """The projection of a ledger, if it has one; where it is ``required``, a publish waits for it. ``problems`` are
    those that an optional one, or one after the flip, had since the object was made: for the run's report."""

    projection: GraphProjection | None = None
    required: bool = False
    problems: list[str] = field(default_factory=list)

    def prepare(self, corpus_id: int, epoch: int) -> None:
        """Before the flip, after the vector segment."""
        self._do("prepare", lambda one: one.prepare(corpus_id, epoch), may_raise=True)

    def caught_up(self, corpus_id: int) -> None:
        """When a run has nothing to publish: what was missed before is brought now."""
        self._do("catch up", lambda one: one.catch_up(corpus_id), may_raise=True)

    def published(self, corpus_id: int) -> None:
        """After a flip or a rollback."""
        self._do("publish", lambda one: one.publish(corpus_id))

    def abandoned(self, corpus_id: int) -> None:
        """After the ledger took a frozen epoch back; what stays behind is undone by the next ``prepare``."""
        self._do("abandon", lambda one: one.catch_up(corpus_id))

    def vacuumed(self, corpus_id: int) -> None:
        """After the ledger's vacuum."""
        self._do("vacuum", lambda one: one.vacuum(corpus_id))

    def dropped(self) -> None:
        """After the ledger dropped a corpus, whichever process did it and whenever."""
        self._do("drop", lambda one: one.forget_dropped())

    def _do(self, step: str, work: Callable[[GraphProjection], object], *, may_raise: bool = False) -> None:
        if self.projection is None:
            return
        try:
            work(self.projection)
        except StoreError as error:
            if may_raise and self.required:
                raise
            _log.warning("projection.lags", projection=self.projection.name, step=step, reason=str(error))
            self.problems.append(f"{self.projection.name} lags ({step}): {error}")


NO_PROJECTIONS = Projections()
