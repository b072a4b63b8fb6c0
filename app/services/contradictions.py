"""Pairs of rules that cannot both hold, as a publish found them, and what a language model finds beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

from clausegraph.app.models import check_price
from clausegraph.app.services import attributes
from clausegraph.app.services.browse import Shelf, open_shelf
from clausegraph.app.services.records import quoted
from clausegraph.app.workspace import Workspace
from clausegraph.core.types import PageKey, Reading
from clausegraph.indexes.contradictions.assertions import Assertion
from clausegraph.indexes.contradictions.compare import Conflict, in_order
from clausegraph.indexes.contradictions.stored import linked_pages, replacing_pages, stored_pairs
from clausegraph.indexes.corpora import CorpusRow
from clausegraph.indexes.graph.links import Replacement, replacements
from clausegraph.indexes.hidden import hidden_places
from clausegraph.query.read.evidence import quote_of, row_text

if TYPE_CHECKING:
    from clausegraph.indexes.views import View
    from clausegraph.query.model_contradictions import QuotedLine

T = TypeVar("T")
Call = tuple[Mapping[str, object], Callable[[str], tuple[list[T], Counter[str]]], Sequence[str]]
"""The inputs of a prompt, what reads its reply and counts what it rejects, and the pages shown."""
PairWatch = Callable[[int, int], None]  # told how many pairs and calls it will be, before the first call


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
    groups, replaced = _conflicts(workspace, shelf)
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


def count_contradictions(workspace: Workspace, corpus: CorpusRow) -> int:
    """How many of the published epoch are open; 0 where none is published."""
    if not corpus.published:
        return 0
    return len(_conflicts(workspace, open_shelf(workspace.ledger, corpus.name))[0]["contradictions"])


def _conflicts(workspace: Workspace, shelf: Shelf) -> tuple[dict[str, list[Conflict]], list[Replacement]]:
    at = ("contradictions", shelf.corpus.id, shelf.epoch)
    return workspace.of_epoch(at, lambda: _grouped(shelf))


def _grouped(shelf: Shelf) -> tuple[dict[str, list[Conflict]], list[Replacement]]:
    """The pairs of an epoch by what is to be done about them, and the pages that are replaced."""
    linked: dict[PageKey, Reading] = {}
    if saying := replacing_pages(*shelf.of_epoch):
        linked = linked_pages(*shelf.of_epoch) | dict(zip(saying, map(shelf.read_once(), saying), strict=True))
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
