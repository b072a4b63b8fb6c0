"""Decisions about names as people meet them: proposals with their evidence, what is in force, publishing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from sqlalchemy import Connection, select

from clausegraph.app.services import Record
from clausegraph.app.services.ingest import as_retained, run_tools
from clausegraph.app.services.records import quoted
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import NotFoundError
from clausegraph.core.types import PageKey
from clausegraph.indexes.corpora import CorpusRow, get_corpus
from clausegraph.indexes.entities import decisions
from clausegraph.indexes.entities.decisions import Decision, list_decisions, store_proposals
from clausegraph.indexes.entities.names import (
    ACCEPTED,
    PROPOSED,
    REJECTED,
    defined_names,
    names_at,
    open_definitions,
    pending_changes,
    wanted_names,
)
from clausegraph.indexes.entities.proposals import MergeInForce, Profile, entity_profiles, merges_in_force, propose
from clausegraph.indexes.ledger.schema import pages as pages_table
from clausegraph.indexes.ledger.schema import sources
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.ingestion.pipeline import Options, Progress, apply_decisions
from clausegraph.ingestion.report import RunReport

if TYPE_CHECKING:
    from clausegraph.indexes.views import View


_SURFACES = 3  # ways of writing a name that are shown
_LOOKED_AT = 10  # statements among which one is looked for that names the entity


State = Literal["proposed", "accepted", "rejected"]


class NameDecision(Record):
    """A name is taken for an entity, or that is proposed or rejected; times are seconds since 1970."""

    id: int
    name: str
    entity: str
    state: State
    score: float
    evidence: dict[str, Any]
    decided_by: str | None
    decided: float | None
    created: float


class ListedDecision(NameDecision):
    """A decision, and the epoch since which it is in force; null where it waits, or is none to be in force."""

    in_force_since: int | None


class ListedDefinition(Record):
    """What pages define, and the epoch since which it is in force."""

    name: str
    entity: str
    pages: list[str]
    in_force_since: int | None


class PendingName(Record):
    """What a name stands for now, and from the next publish on."""

    name: str
    before: str
    after: str


class NameDecisions(Record):
    """The decisions about names, what pages define, and what waits for the next publish."""

    corpus: str
    published: int
    newest: int
    decisions: list[ListedDecision]
    defined: list[ListedDefinition]
    pending: list[PendingName]


class SettledReply(Record):
    """The decision as it is now, or as it was where it is removed."""

    decision: NameDecision
    now: Literal["proposed", "accepted", "rejected", "removed"]


def review(workspace: Workspace, name: str, of_type: str | None = None, limit: int | None = None) -> dict[str, Any]:
    """Store what is newly proposed for the published epoch; every open proposal with its evidence, best first."""
    with workspace.view(name, embed=False) as view:
        ledger = workspace.ledger
        corpus = get_corpus(ledger, name)
        found, profiles = propose(ledger, corpus.id, view.epoch, of_type)
        types = sorted({kind for profile in profiles.values() for kind in profile.types})
        if of_type is not None and of_type not in types:
            there = f"(there are: {', '.join(types)})"
            raise NotFoundError(f"corpus {corpus.name!r} has no entity of type {of_type!r} {there}")
        new = store_proposals(ledger, corpus.id, found)
        waiting = [
            row
            for row in _open_proposals(ledger, corpus, profiles)
            if of_type is None or of_type in (profiles[row.name].types | profiles[row.entity].types)
        ]
        listed = [_card(view, row, profiles) for row in waiting[:limit]]
        return {"corpus": corpus.name, "epoch": view.epoch, "new": new, "open": len(waiting), "proposals": listed}


def merges(workspace: Workspace, name: str, limit: int | None = None) -> dict[str, Any]:
    """What is one entity, by what pages define, by what was decided, and by proposals: best first, each with why.

    Stores nothing: a proposal that :func:`review` has not stored yet has no id.
    """
    with workspace.view(name, embed=False) as view:
        ledger = workspace.ledger
        corpus = get_corpus(ledger, name)
        found, profiles = propose(ledger, corpus.id, view.epoch)
        new = [Decision(0, one.name, one.entity, PROPOSED, one.score, one.evidence, None, None, 0.0) for one in found]
        waiting: list[Decision | MergeInForce] = [*_open_proposals(ledger, corpus, profiles), *new]
        made = merges_in_force(ledger, corpus.id, view.epoch)
        ranked = sorted([*made, *waiting], key=lambda one: -one.score)[:limit]
        listed = [
            _in_force(view, one) if isinstance(one, MergeInForce) else _proposed(_card(view, one, profiles))
            for one in ranked
        ]
    counts = {"in_force": len(made), "proposed": len(waiting)}
    return {"corpus": corpus.name, "epoch": view.epoch} | counts | {"merges": listed}


def _in_force(view: View, one: MergeInForce) -> dict[str, Any]:
    """A merge in force, with a sentence that defines it."""
    page, quote = None, None
    if one.stated is not None:
        place, statement = one.stated
        page, quote = str(place), next((words for _, words in quoted(statement.spans, view.reading(place))), None)
    why = "defined" if one.stated else "accepted" if one.by else "follows"
    names = list(one.written or (one.name, one.entity))
    said = {"name": one.name, "entity": one.entity, "written": names, "score": one.score, "state": why, "id": None}
    return said | {"in_force_since": one.since, "by": one.by or None, "page": page, "quote": quote}


def _proposed(card: dict[str, Any]) -> dict[str, Any]:
    """An open proposal in the same form, with a sentence that has the name."""
    example = card["name"]["example"] or {"page": None, "quote": None}
    sides = card["name"], card["entity"]
    said = {"name": sides[0]["key"], "entity": sides[1]["key"], "written": [side["written"][0] for side in sides]}
    state = {"score": card["score"], "state": "proposed", "id": card["id"] or None, "in_force_since": None, "by": None}
    return said | state | example


def open_proposals(workspace: Workspace, name: str, limit: int | None = None) -> dict[str, Any]:
    """The proposals that wait for a decision, as :func:`review` has them; none is looked for, and nothing stored."""
    ledger = workspace.ledger
    corpus = get_corpus(ledger, name)
    open_rows = list_decisions(ledger, corpus.id, PROPOSED)
    if not corpus.published or not open_rows:
        return {"corpus": corpus.name, "open": 0, "proposals": []}
    with workspace.view(name, embed=False) as view:
        named = {key for row in open_rows for key in (row.name, row.entity)}
        profiles = entity_profiles(ledger, corpus.id, view.epoch, named)
        waiting = _open_proposals(ledger, corpus, profiles)
        cards = [_card(view, row, profiles) for row in waiting[:limit]]
        return {"corpus": corpus.name, "open": len(waiting), "proposals": cards}


def _open_proposals(ledger: Ledger, corpus: CorpusRow, profiles: Mapping[str, Profile]) -> list[Decision]:
    """Proposals about two entities of the epoch that are not one by what was accepted since, best first."""
    with ledger.read() as connection:
        names = wanted_names(connection, corpus.id)
    rows = [
        row
        for row in list_decisions(ledger, corpus.id, PROPOSED)
        if row.name in profiles and row.entity in profiles and row.name not in names
        if names.get(row.entity, row.entity) != row.name
    ]
    return sorted(rows, key=lambda row: (-row.score, row.id))


def _card(view: View, row: Decision, profiles: Mapping[str, Profile]) -> dict[str, Any]:
    """A proposal with what the epoch says of both names."""
    sides = {side: _side(view, profiles[key]) for side, key in (("name", row.name), ("entity", row.entity))}
    found = {key: row.evidence.get(key) for key in ("type", "variant")}
    return {"id": row.id, "score": row.score} | found | sides


def _side(view: View, profile: Profile) -> dict[str, Any]:
    surfaces = sorted(profile.surfaces, key=lambda surface: (-profile.surfaces[surface], surface))
    known = {"types": sorted(profile.types), "supports": profile.supports, "example": _example(view, profile)}
    return {"key": profile.key, "written": surfaces[:_SURFACES]} | known


def _example(view: View, profile: Profile) -> dict[str, str] | None:
    """A sentence that rules or states something about the entity, best one that names it, and its page."""
    first: dict[str, str] | None = None
    written = [surface.lower() for surface in profile.surfaces]
    facts = view.graph.neighbourhood([profile.key], hops=1, limit=_LOOKED_AT)
    stated = view.graph.supports([fact.id for fact in facts])[:_LOOKED_AT]
    ruled = view.graph.rules_of([profile.key], _LOOKED_AT)
    said = [(one.page, one.statement.spans) for one in stated] + [(one.page, one.rule.spans) for one in ruled]
    for page, spans in said:
        for _, quote in quoted(spans, view.reading(page)):
            found = {"page": str(page), "quote": quote}
            if any(surface in quote.lower() for surface in written):
                return found
            first = first or found
    return first


def decide(
    workspace: Workspace, corpus: str, accept: Sequence[int], reject: Sequence[int], by: str
) -> list[NameDecision]:
    """Accept and reject proposals; errors as ``indexes.entities.decisions.decide``."""
    ledger = workspace.ledger_to_change()
    return [NameDecision.of(one) for one in decisions.decide(ledger, get_corpus(ledger, corpus), accept, reject, by)]


def settle(workspace: Workspace, corpus: str, number: int, state: str, by: str) -> SettledReply:
    """Bring a decision to a state, however often; arguments and errors as ``indexes.entities.decisions.settle``."""
    ledger = workspace.ledger_to_change()
    row, now = decisions.settle(ledger, get_corpus(ledger, corpus), number, state, by)
    return SettledReply.of(decision=row, now=now)


def deny(workspace: Workspace, corpus: str, name: str, by: str) -> SettledReply:
    """Decide against what pages define; errors as ``indexes.entities.decisions.deny``."""
    ledger = workspace.ledger_to_change()
    return SettledReply.of(decision=decisions.deny(ledger, get_corpus(ledger, corpus), name, by), now=REJECTED)


def merge(workspace: Workspace, corpus: str, name: str, entity: str, by: str) -> NameDecision:
    """Take a name for an entity without a proposal; errors as ``indexes.entities.decisions.merge``."""
    ledger = workspace.ledger_to_change()
    return NameDecision.of(decisions.merge(ledger, get_corpus(ledger, corpus), name, entity, by))


def undo(workspace: Workspace, corpus: str, what: str, by: str) -> SettledReply:
    """Take a decision, or what pages define, back; errors as ``indexes.entities.decisions.undo``."""
    ledger = workspace.ledger_to_change()
    row, now = decisions.undo(ledger, get_corpus(ledger, corpus), what, by)
    return SettledReply.of(decision=row, now=now)


def decisions_status(workspace: Workspace, name: str, state: str | None = None) -> NameDecisions:
    """All decisions of the corpus, since which epoch each is in force, and what waits for the next publish.

    "In force" is about the newest epoch, from which the next publish goes on; after a rollback readers are
    elsewhere, and ``published`` says where.
    """
    ledger = workspace.ledger
    corpus = get_corpus(ledger, name)
    rows = list_decisions(ledger, corpus.id, state)
    with ledger.read() as connection:
        now = names_at(connection, corpus.id, corpus.newest)
        wanted = wanted_names(connection, corpus.id)
        defined = defined_names(connection, corpus.id)
        pages = _defining_pages(connection, corpus.id)
    changes = pending_changes(ledger, corpus.id, corpus.newest)
    listed = []
    for row in rows:
        entity, since = now.get(row.name, (None, None))
        in_force = row.state == ACCEPTED and entity == wanted[row.name]
        listed.append(ListedDecision.of(row, in_force_since=since if in_force else None))
    definitions = [
        ListedDefinition(name=name, entity=entity, pages=pages[name], in_force_since=now.get(name, (None, None))[1])
        for name, entity in defined.items()
        if state is None and name in pages  # the phrase that defines it is a name too
    ]
    return NameDecisions.of(corpus, corpus=corpus.name, decisions=listed, defined=definitions, pending=changes)


def _defining_pages(connection: Connection, corpus_id: int) -> dict[str, list[str]]:
    """The pages that define each name."""
    query = (
        select(pages_table.c.id, sources.c.name, pages_table.c.uri)
        .join(sources, sources.c.id == pages_table.c.source_id)
        .where(pages_table.c.corpus_id == corpus_id)
    )
    keys = {row.id: str(PageKey(row.name, row.uri)) for row in connection.execute(query)}
    found: dict[str, set[str]] = {}
    for one in open_definitions(connection, corpus_id).values():
        found.setdefault(one.name, set()).add(keys[one.page_id])
    return {name: sorted(where) for name, where in found.items()}


def run_apply(workspace: Workspace, corpus: str, progress: Progress | None = None) -> RunReport:
    """Publish the decisions; errors as ``ingestion.pipeline.apply_decisions``."""
    with run_tools(workspace, None, progress) as tools:
        return apply_decisions(tools, corpus, as_retained(workspace.settings, Options()))
