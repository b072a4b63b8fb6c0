"""What joins entities: the facts around them, paths between them along facts and rules, pages of both, and
contradictions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

from clausegraph.app.models import check_price
from clausegraph.app.services import Record, attributes
from clausegraph.app.services.browse import Shelf, entity_of, no_entity, open_shelf, with_statements
from clausegraph.app.services.records import NearFact, ShownFact, ShownRule, fact_record, quoted, roles_of, rule_words
from clausegraph.app.services.rules import ALL_WORDS, in_words, nearest_entity, place_of, rules_with_words
from clausegraph.app.workspace import Workspace
from clausegraph.core.language.normalise import entity_key
from clausegraph.core.language.wording import condition_words
from clausegraph.core.text import one_line
from clausegraph.core.types import LITERAL, Fact, PageKey, PlacedRule, Reading, Support
from clausegraph.indexes.contradictions.assertions import Assertion
from clausegraph.indexes.contradictions.compare import Conflict, in_order
from clausegraph.indexes.contradictions.stored import linked_pages, replacing_pages, stored_pairs
from clausegraph.indexes.graph.links import Replacement, replacements
from clausegraph.indexes.hidden import hidden_places
from clausegraph.query.read.evidence import quote_of, row_text
from clausegraph.query.retrieve.graph import FoundPaths, Hop, RuleHop, shortest_paths

if TYPE_CHECKING:
    from clausegraph.indexes.views import View
    from clausegraph.query.model_contradictions import QuotedLine

T = TypeVar("T")
Call = tuple[Mapping[str, object], Callable[[str], tuple[list[T], Counter[str]]], Sequence[str]]
"""The inputs of a prompt, what reads its reply and counts what it rejects, and the pages shown."""
PairWatch = Callable[[int, int], None]  # told how many pairs and calls it will be, before the first call


class NeighbourhoodReply(Record):
    """The facts around entities, and the entities among them."""

    corpus: str
    epoch: int
    around: list[str]
    more: bool
    entities: list[str]
    facts: list[NearFact]


class PathFact(ShownFact):
    """A fact of a path, and whether the path goes from its subject to its object."""

    forward: bool


class PathRule(ShownRule):
    """A rule of a path: the two entities of it that the path joins, and what they are to it."""

    start: str
    start_role: str
    end: str
    end_role: str


class DrawnStatement(Record):
    """What a drawing says of a statement."""

    modality: str
    polarity: bool
    condition: str


class DrawnFact(Record):
    """A fact as a drawing needs it."""

    id: str
    subject: str
    relation: str
    object: str
    literal: bool
    statements: list[DrawnStatement]


def neighbourhood(
    workspace: Workspace,
    corpus: str,
    names: Sequence[str],
    *,
    hops: int = 1,
    limit: int = 200,
    relations: Sequence[str] | None = None,
    page: str | None = None,
    epoch: int | None = None,
) -> NeighbourhoodReply:
    """The facts around entities, nearest and most stated first, with their statements, and the entities among them.

    Args:
        hops: 1 or 2.
        limit: facts at most; ``more`` says whether there are others.
        page: only what this page states, in its order; without names all that it states.
    """
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    keys, found, stated = facts_around(shelf, names, hops, limit + 1, relations, page)
    facts = found[:limit]
    ends = {end for fact in facts for end in (fact.subject, fact.object) if not end.startswith(LITERAL)}
    return NeighbourhoodReply(
        **shelf.at,
        around=keys,
        more=len(found) > limit,
        entities=sorted(ends.union(keys)),
        facts=with_statements(NearFact, shelf, facts, stated),
    )


def outline(
    workspace: Workspace, corpus: str, names: Sequence[str], *, limit: int,
    relations: Sequence[str] | None = None, page: str | None = None, epoch: int | None = None,
) -> tuple[int, list[DrawnFact], bool]:  # fmt: skip
    """The epoch, the same facts one step around as a drawing needs them, and whether there are more: each with the
    modality, polarity and condition of its statements in place of their words; errors as of ``neighbourhood``."""
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    _, found, stated = facts_around(shelf, names, 1, limit + 1, relations, page)
    facts = found[:limit]
    told: dict[str, list[DrawnStatement]] = {}
    for one in shelf.graph.supports([fact.id for fact in facts]) if stated is None else stated:
        said = DrawnStatement.of(one.statement, condition=one_line(condition_words(one.statement.condition)))
        told.setdefault(one.fact_id, []).append(said)
    drawn = [DrawnFact(**fact_record(fact), statements=told.get(fact.id, [])) for fact in facts]
    return shelf.epoch, drawn, len(found) > limit


def facts_around(
    shelf: Shelf, names: Sequence[str], hops: int, limit: int, relations: Sequence[str] | None, page: str | None
) -> tuple[list[str], list[Fact], list[Support] | None]:
    """The keys of entities, the facts around them, and what of these the page states (None: no page was named)."""
    keys = list(dict.fromkeys(entity_of(shelf, name) for name in names))
    if page is None:
        return keys, shelf.graph.neighbourhood(keys, hops=hops, limit=limit, relations=relations), None
    stated = shelf.facts_on(*shelf.page(page))
    facts = shelf.graph.facts([one.fact_id for one in stated])
    wanted = [
        fact
        for fact in facts
        if (relations is None or fact.relation in relations) and (not keys or {fact.subject, fact.object} & set(keys))
    ][:limit]
    ids = {fact.id for fact in wanted}
    return keys, wanted, [one for one in stated if one.fact_id in ids]


_SHOWN = 5  # rules that say something of both ends of a path


def contradictions(
    workspace: Workspace, corpus: str, epoch: int | None = None, *, limit: int | None = None, offset: int = 0
) -> dict[str, Any]:
    """Pairs of rules of an epoch that cannot both hold, newest first.

    Args:
        limit, offset: of each kind so many, behind so many; none: all.

    Returns:
        ``contradictions``, ``superseded``, and ``settled`` by hiding a side: of each pair its kind ("value",
        "polarity" or "threshold") and both sides, ``newer`` and ``older``, with the rule's key and words, its
        sentences, the anchor of the first, page, title and dates. ``found`` are how many of each there are.
        ``replaced_pages``: pages that another one says it replaces, with that sentence.
    """
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    groups, replaced = _conflicts(shelf)
    read, end = shelf.read_once(), None if limit is None else offset + limit
    reply: dict[str, Any] = shelf.at | {"found": {name: len(found) for name, found in groups.items()}}
    for name, found in groups.items():
        sides = ((one, one.newer, one.older) for one in found[offset:end])
        reply[name] = [
            {"kind": one.kind, "newer": _side(newer, read(newer.page)), "older": _side(older, read(older.page))}
            for one, newer, older in sides
        ]
    reply["replaced_pages"] = [
        {"older": _page(one.older, read(one.older)), "newer": _page(one.newer, read(one.newer))}
        | {"quote": one.quote, "said_on": str(one.said_on)}
        for one in replaced[offset:end]
    ]
    return reply


def count_contradictions(workspace: Workspace, corpus: str) -> int:
    """How many of the published epoch are open."""
    return len(_conflicts(open_shelf(workspace.ledger, corpus))[0]["contradictions"])


def _conflicts(shelf: Shelf) -> tuple[dict[str, list[Conflict]], list[Replacement]]:
    """The pairs of an epoch by what is to be done about them, and the pages that are replaced."""
    read, saying = shelf.read_once(), replacing_pages(*shelf.of_epoch)
    linked = linked_pages(*shelf.of_epoch) | {page: read(page) for page in saying} if saying else {}
    replaced = list(replacements(linked))
    with shelf.ledger.read() as connection:
        hidden = hidden_places(connection, shelf.corpus.id, shelf.epoch)
    groups: dict[str, list[Conflict]] = {"contradictions": [], "superseded": [], "settled": []}
    for one in in_order(stored_pairs(*shelf.of_epoch), replaced):
        is_settled = any(side.span.anchor in hidden.get(side.page, ()) for side in (one.newer, one.older))
        groups["settled" if is_settled else "superseded" if one.superseded else "contradictions"].append(one)
    return groups, replaced


def ask_contradictions(
    workspace: Workspace, corpus: str, epoch: int | None = None, *, pairs: int, watch: PairWatch
) -> dict[str, Any]:
    """As :func:`contradictions`, then pairs of the kind "model", which the language model of the settings finds beside
    them: with ``differs``, in its words, and the ``anchor`` of each side. ``asked`` is what it took.

    Args:
        pairs: of sections of different pages that the model is shown, the nearest in meaning first.

    Raises:
        SettingsError, ModelUnavailable, ModelRefused: as of ``ask_pairs``.
    """
    from clausegraph.query.model_contradictions import PROMPT, batches, call_of, near_sections

    _ = workspace.model  # refused before anything is read
    reply = contradictions(workspace, corpus, epoch)
    pairs_of = (pair for name in reply["found"] for pair in reply[name])
    known = {frozenset((side["page"], side["anchor"]) for side in (one["newer"], one["older"])) for one in pairs_of}
    replaced = [(one["newer"]["page"], one["older"]["page"]) for one in reply["replaced_pages"]]
    with workspace.view(corpus, reply["epoch"], embed=False) as view:
        near = near_sections(view, pairs)
        named, asked = ask_pairs(workspace, PROMPT, list(map(call_of, batches(near))), len(near), watch)
        once = {pair.key: pair for pair in named if {(str(page), at) for page, at in pair.key} not in known}
        for pair in once.values():
            sides = [_quoted_side(view, one) for one in (pair.one, pair.other)]
            ways = {(one["page"], other["page"]): (one, other) for one, other in (sides, sides[::-1])}
            newer, older = sorted(sides, key=lambda one: one["updated"] or "", reverse=True)
            newer, older = next((ways[pages] for pages in replaced if pages in ways), (newer, older))
            kind = "superseded" if (newer["page"], older["page"]) in replaced else "contradictions"
            reply[kind].append({"kind": "model", "differs": pair.differs, "newer": newer, "older": older})
    return reply | {"asked": asked}


def ask_pairs(
    workspace: Workspace, prompt: str, calls: Sequence[Call[T]], pairs: int, watch: PairWatch
) -> tuple[list[T], dict[str, Any]]:
    """What the language model of the settings says of so many pairs, within the budget of a question, and what that
    took. A reply that cannot be used is counted.

    Raises:
        SettingsError: no model is set, or a limit on money needs its price.
        ModelUnavailable, ModelRefused: it did not answer.
    """
    from clausegraph.core.prompts import library
    from clausegraph.query.steps.model import ModelSteps, QuestionLimits, QuestionMeter
    from clausegraph.query.steps.reply import UNUSABLE

    settings = workspace.settings
    check_price(settings, settings.llm)
    meter = QuestionMeter(QuestionLimits(len(calls), settings.llm_budget_tokens, settings.llm_budget_money))
    model = ModelSteps(workspace.model, library(settings.prompts)).question(meter)
    watch(pairs, len(calls))

    def ask(call: Call[T]) -> tuple[list[T], Counter[str]]:
        try:
            return model.ask(prompt, call[0], call[1], pages=call[2]).value
        except UNUSABLE as error:
            return [], Counter({f"call: {type(error).__name__}": 1})

    with ThreadPoolExecutor(settings.llm_concurrency) as pool:
        try:
            found = list(pool.map(ask, calls))
        except BaseException:
            model.stop()
            raise
    usage = attributes(meter.usage(), "calls cached prompt_tokens output_tokens money")
    rejected = dict(sum((one for _, one in found), Counter()))
    said = [one for listed, _ in found for one in listed]
    return said, {"model": model.name, "pairs": pairs} | usage | {"rejected": rejected}


def _quoted_side(view: View, line: QuotedLine) -> dict[str, Any]:
    """A side by the words that a model quotes, their sentences, and the first rule that has some of them."""
    element, start = line.element, line.element.text.lower().find(line.quote.strip(" .").lower())
    begin, end = (start, start + len(line.quote)) if start >= 0 else (0, len(element.text))
    places = ((one, span) for one in view.rules_on(line.page, [element.anchor]) for span in one.rule.spans)
    within = (one for one, span in places if span.anchor == element.anchor and span.start < end and begin < span.end)
    placed = next(within, None)
    dates = {name: getattr(placed.rule, name) if placed else None for name in ("effective_from", "effective_to")}
    quotes = [row_text(element) if element.tag == "tr" else quote_of(element, begin, end)]
    said = {"rule": placed.key if placed else "", "words": line.quote, "quotes": quotes, "anchor": element.anchor}
    return said | _page(line.page, view.reading(line.page)) | dates


def _page(page: PageKey, reading: Reading) -> dict[str, Any]:
    return {"page": str(page)} | attributes(reading, "title updated")


def _side(assertion: Assertion, reading: Reading) -> dict[str, Any]:
    validity = assertion.validity
    said = [quote for _, quote in quoted([assertion.span], reading)]
    words: dict[str, Any] = {"rule": assertion.rule, "words": " ".join(said), "quotes": said}
    words["anchor"] = assertion.span.anchor
    dates = {"effective_from": validity.start, "effective_to": validity.end}
    return words | _page(assertion.page, reading) | dates


def find_paths(
    workspace: Workspace, corpus: str, start: str, goal: str, *, hops: int, limit: int, epoch: int | None = None
) -> dict[str, Any]:
    """The shortest chains of facts and rules between two entities, each fact with its statements, and
    ``together``: other rules that have the words of both, with their headings.

    Raises:
        InputError: as ``shortest_paths``.
    """
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    named = shelf.graph.named([start, goal], normalised=True)
    first, last = (named.get(name) or nearest_entity(shelf, name) for name in (start, goal))
    found = FoundPaths((), False)
    if first is not None and last is not None:
        found = shortest_paths(shelf.graph, first, last, hops=hops, limit=limit)
    hops_of = [hop for path in found.paths for hop in path]
    rules = {hop.rule: shelf.graph.rule(hop.rule) for hop in hops_of if isinstance(hop, RuleHop)}
    there = set(map(place_of, rules.values()))
    ranked = rules_with_words(shelf, f"{start} {goal}").items()
    both = [placed for placed, rank in ranked if rank <= ALL_WORDS and place_of(placed) not in there]
    read = shelf.read_once()

    def unnamed(placed: PlacedRule) -> int:
        words = entity_key(rule_words(placed, read(placed.page)))
        return sum(entity_key(name) not in words for name in (start, goal))

    if not both and None in (first, last):
        raise no_entity(shelf, start if first is None else goal, "entity")
    facts = {hop.fact.id: hop.fact for hop in hops_of if isinstance(hop, Hop)}
    records = {record.id: dict(record) for record in with_statements(ShownFact, shelf, list(facts.values()))}
    shown = {(one.page, one.id): dict(one) for one in in_words(shelf, rules.values(), limit=len(rules))}

    def step(hop: Hop | RuleHop) -> PathFact | PathRule:
        if isinstance(hop, Hop):
            return PathFact(**records[hop.fact.id], forward=hop.forward)
        placed = rules[hop.rule]
        named = {key: role.name for role, key in reversed(list(roles_of(placed)))}  # the first of its roles
        ends = {"start": hop.start, "start_role": named[hop.start], "end": hop.end, "end_role": named[hop.end]}
        return PathRule(**shown[str(placed.page), placed.key] | ends)

    return shelf.at | {
        "from": first or start,
        "to": last or goal,
        "hops": hops,
        "cut": found.cut,
        "paths": [[step(hop) for hop in path] for path in found.paths],
        "together": in_words(shelf, both, _SHOWN, unnamed),
    }
