"""Pages, elements, chunks, facts, statements and steps of procedures as JSON records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import Field

from clausegraph.app.services import Record, attributes
from clausegraph.core.embedding_texts import is_within
from clausegraph.core.language.wording import condition_words, relation_words, written
from clausegraph.core.text import one_line
from clausegraph.core.types import (
    LITERAL,
    All,
    Chunk,
    Element,
    Fact,
    JudgedLeaf,
    Leaf,
    Mention,
    PageKey,
    PlacedRule,
    Reading,
    Role,
    RuleLinkName,
    Span,
    Statement,
    StepOrder,
    Support,
    Tree,
    fold,
    leaves,
)
from clausegraph.indexes.derive import statement_id
from clausegraph.query.read.evidence import quote_of, row_text

if TYPE_CHECKING:
    from clausegraph.indexes.views import View

L = TypeVar("L", Leaf, JudgedLeaf)


class ListedElement(Record):
    """An element of a page."""

    page: str
    anchor: str
    tag: str
    headings: list[str]
    text: str
    html: str
    lead_in: str | None
    parent: str | None
    page_number: int | None


class ShownStatement(Record):
    """What a page states of a fact."""

    id: str
    words: str
    subject: str
    object: str
    modality: str
    polarity: bool
    condition: str = Field(description="When it holds, in words; empty where it always does.")
    page: str
    title: str
    updated: str | None
    effective_from: str | None
    effective_to: str | None
    step: str | None  # of a procedure: "2", in a step of it "2.1"
    procedure: str | None  # the words that its steps stand under
    anchor: str = Field(description="Of the element with its words, which are `start` to `end` of its text.")
    start: int
    end: int
    quotes: list[str]


class ShownFact(Record):
    """A fact with its statements."""

    id: str
    subject: str
    relation: str
    object: str
    literal: bool  # the object is a value, and no entity
    supports: int
    statements: list[ShownStatement]


class NearFact(ShownFact):
    """A fact around entities: so many steps away."""

    hop: int


class AnchoredQuote(Record):
    """A sentence, and the element it stands in."""

    anchor: str
    quote: str


class RuleValue(Record):
    """An amount, percentage, date, duration or age that a rule sets."""

    value: str
    kind: str


class RuleRole(Record):
    """An entity's part in a rule."""

    role: str
    entity: str
    written: str = Field(description="As the page writes it.")


class LinkedRule(Record):
    """Another rule of the page that a rule belongs to."""

    link: str = Field(description="exception of, step after, or refers to; exception where it is one of the rule.")
    id: str
    words: str


class ShownRule(Record):
    """What a page rules, verbatim, and where."""

    id: str = Field(description="Unique on its page.")
    kinds: list[str] = Field(description="The main one first.")
    words: str = Field(description="The page's own, in its order; … where something between them is left out.")
    condition: str = Field(description="When it holds, in words; empty where it always does.")
    elsewhere: str = Field(description="What of the condition stands elsewhere: in a heading or sentence.")
    values: list[RuleValue]
    roles: list[RuleRole]
    links: list[LinkedRule]
    exceptions: list[LinkedRule] = Field(description="The rules of its page that are exceptions of it.")
    polarity: bool
    modality: str
    effective_from: str | None
    effective_to: str | None
    step: str | None  # of a procedure: "2", in a step of it "2.1"
    procedure: str | None
    page: str
    title: str
    section: str = Field(description="The headings it stands under, without the title of the page.")
    anchor: str = Field(description="Of the element with its own words.")
    url: str | None
    updated: str | None


def page_record(page: PageKey, reading: Reading) -> dict[str, Any]:
    """A page by itself: its key, title, address, language and dates."""
    shown = attributes(reading, "title url language published updated reviewed")
    return attributes(page, "source uri") | shown


def chunk_record(page: PageKey, chunk: Chunk) -> dict[str, Any]:
    """A chunk of a page."""
    return {"page": str(page)} | attributes(chunk, "key headings anchors text")


def fact_record(fact: Fact) -> dict[str, Any]:
    """A fact: its ends, and by how many statements it holds; ``literal``: its object is a value, and no entity."""
    shown = {"object": fact.object.removeprefix(LITERAL), "literal": fact.object.startswith(LITERAL)}
    return attributes(fact, "id subject relation") | shown | {"supports": fact.supports}


def support_record(support: Support, reading: Reading) -> dict[str, Any]:
    """A statement at its place, with the sentences it was read from."""
    statement = support.statement
    return {
        "id": statement_id(support),
        "fact": support.fact_id,
        "page": str(support.page),
        "title": reading.title,
        "updated": reading.updated,
        "url": reading.url,
        "chunk": support.chunk_key,
        "subject": statement.subject.surface,
        "subject_key": statement.subject.key,
        "relation": statement.relation,
        "object": object_text(statement),
        **stated_fields(statement),
        "condition": condition_json(statement.condition),
        "extractor": support.extractor,
        "quotes": [
            {"anchor": element.anchor, "headings": list(element.headings), "quote": quote}
            for element, quote in quoted(statement.spans, reading)
        ],
    }


def quoted(spans: Iterable[Span], reading: Reading) -> Sequence[tuple[Element, str]]:
    """The elements that spans touch, each with the sentences they touch; those the reading has not are left out."""
    by_anchor = {element.anchor: element for element in reading.elements}
    found: dict[str, tuple[Element, str]] = {}
    for span in spans:
        element = by_anchor.get(span.anchor)
        if element is not None:
            found.setdefault(span.anchor, (element, quote_of(element, span.start, span.end)))
    return list(found.values())


def stated_fields(statement: Statement) -> dict[str, Any]:
    """What tables and edges have of a statement beside its ends, in words."""
    return {
        "relation": statement.relation,
        "polarity": statement.polarity,
        "modality": statement.modality.value,
        "wording": statement.wording,
        "subject_written": written(statement.subject),
        "object_written": written(statement.object),
        "condition": condition_words(statement.condition),
        "effective_from": statement.effective_from,
        "effective_to": statement.effective_to,
        **step_record(statement.step),
    }


def object_text(statement: Statement) -> str:
    """The object as the page writes it."""
    node = statement.object
    return node.surface if isinstance(node, Mention) else node.value


def statement_words(statement: Statement) -> str:
    """The statement on one line, with its condition."""
    line = f"{statement.subject.surface} {relation_words(statement)} {object_text(statement)}"
    condition = f" if {one_line(condition_words(statement.condition))}" if statement.condition is not None else ""
    return one_line(line + condition)


def step_record(step: StepOrder | None) -> dict[str, str | None]:
    """Which step of which procedure it is: "2.1" and the words above its steps; none where it is no step."""
    return {"step": None, "procedure": None} if step is None else {"step": step.text, "procedure": step.procedure}


def steps_in_order(facts: Iterable[ShownFact]) -> list[ShownFact]:
    """Steps of one procedure follow each other by number, where the first of them was; other facts stay in place."""
    procedures: dict[tuple[str, str | None], list[ShownFact]] = {}
    found: list[list[ShownFact]] = []
    for fact in facts:
        first = fact.statements[0] if fact.statements else None
        if first is None or not first.step:
            found.append([fact])
            continue
        steps = procedures.setdefault((first.page, first.procedure), [])
        if not steps:
            found.append(steps)
        steps.append(fact)
    return [fact for steps in found for fact in sorted(steps, key=_number)]


def _number(fact: ShownFact) -> list[int]:
    step = fact.statements[0].step if fact.statements else None
    return [int(number) for number in step.split(".")] if step else []


def shown_statement(support: Support, reading: Reading) -> ShownStatement:
    """A statement in words, with its page and sentences."""
    statement = support.statement
    return ShownStatement.of(
        statement,
        reading,
        statement.spans[0] if statement.spans else Span("", 0, 0),
        id=statement_id(support),
        words=statement_words(statement),
        subject=statement.subject.surface,
        object=object_text(statement),
        condition=one_line(condition_words(statement.condition)),
        page=str(support.page),
        **step_record(statement.step),
        quotes=[quote for _, quote in quoted(statement.spans, reading)],
    )


def roles_of(placed: PlacedRule) -> Iterator[tuple[Role, str]]:
    """Each role of a rule with the key of its entity."""
    return zip(placed.rule.roles, placed.entities, strict=True)


def in_page_order(rules: Iterable[PlacedRule], reading: Reading) -> list[PlacedRule]:
    """Rules of one page by where their own words begin."""
    place = {element.anchor: number for number, element in enumerate(reading.elements)}
    return sorted(rules, key=lambda one: (place.get(one.rule.spans[0].anchor, 0), one.rule.spans[0].start, one.key))


def shown_rules(rules: Iterable[PlacedRule], reading: Reading, of_page: Iterable[PlacedRule]) -> list[ShownRule]:
    """Rules of one page in words; ``of_page`` are all of it, to which links lead."""
    there = {(one.rule.spans[0].anchor, one.rule.spans[0].start): one for one in of_page}
    narrowing: dict[tuple[str, int], list[PlacedRule]] = {}
    for one in in_page_order(there.values(), reading):
        for link in one.rule.links:
            if link.name is RuleLinkName.EXCEPTION_OF:
                narrowing.setdefault((link.anchor, link.start), []).append(one)
    owns = ((one, one.rule.spans[0]) for one in rules)
    return [_shown_rule(one, reading, there, narrowing.get((own.anchor, own.start), ())) for one, own in owns]


def rules_in_words(view: View) -> Iterator[tuple[PlacedRule, ShownRule]]:
    """Every rule of an epoch, by page and in its order."""
    for page, found in groupby(view.graph.all_rules(), key=lambda one: one.page):
        ordered = in_page_order(found, view.reading(page))
        yield from zip(ordered, shown_rules(ordered, view.reading(page), ordered), strict=True)


def _shown_rule(
    placed: PlacedRule,
    reading: Reading,
    there: dict[tuple[str, int], PlacedRule],
    exceptions: Iterable[PlacedRule],
) -> ShownRule:
    rule = placed.rule
    parts = rule.condition.children if isinstance(rule.condition, All) else (rule.condition,)
    apart = [part for part in parts if any(not is_within(leaf, rule.spans) for leaf in leaves(part))]
    element = reading.element(rule.spans[0].anchor)
    headings = element.headings if element is not None else ()
    linked = ((link.name.value, there.get((link.anchor, link.start))) for link in rule.links)
    return ShownRule.of(
        rule,
        reading,
        id=placed.key,
        kinds=[kind.value for kind in rule.kinds],
        words=rule_words(placed, reading),
        condition=one_line(condition_words(rule.condition)),
        elsewhere=one_line(" and ".join(map(condition_words, apart))),
        values=[RuleValue.of(value) for value in rule.values],
        roles=[RuleRole(role=one.name.value, entity=key, written=one.entity.surface) for one, key in roles_of(placed)],
        links=[
            LinkedRule(link=name, id=other.key, words=rule_words(other, reading))
            for name, other in linked
            if other is not None
        ],
        exceptions=[LinkedRule(link="exception", id=one.key, words=rule_words(one, reading)) for one in exceptions],
        page=str(placed.page),
        section=" › ".join(headings[1:] if headings[:1] == (reading.title,) else headings),
        anchor=rule.spans[0].anchor,
        **step_record(rule.step),
    )


def rule_words(placed: PlacedRule, reading: Reading) -> str:
    """What a rule says on one line: its spans in page order, "…" between those that do not follow each other; in
    brackets the sentences before, which it goes on from."""
    own, before = placed.rule.in_order(reading.elements)
    context = f" ({''.join(_joined_spans(before, reading))})" if before else ""
    return one_line("".join(_joined_spans(own, reading)) + context)


def _joined_spans(spans: Iterable[Span], reading: Reading) -> Iterator[str]:
    place = {element.anchor: number for number, element in enumerate(reading.elements)}
    before: Span | None = None
    for span in sorted((one for one in spans if one.anchor in place), key=lambda one: (place[one.anchor], one.start)):
        element = reading.elements[place[span.anchor]]
        if before is not None and before.anchor == span.anchor and span.end <= before.end:
            continue
        if before is not None:
            above = reading.elements[place[before.anchor]]
            if span.anchor == before.anchor:
                between = element.text[before.end : span.start]
            else:
                between = above.text[before.end :] + element.text[: span.start]
            follows = place[span.anchor] - place[before.anchor] <= 1 and not between.strip()
            items = above.tag == element.tag != "p" and above.text[before.start : before.end][-1:].isalnum()
            yield " … " if not follows else "; " if items else " "
        whole = span.start <= 0 and span.end >= len(element.text)
        yield row_text(element) if whole else element.text[span.start : span.end]
        before = span


def condition_json(condition: Tree[L] | None) -> Any:
    """``{"all": […]}``, ``{"any": […]}``, ``{"not": …}``, ``{"leaf": {…}}`` or null.

    A leaf whose words are not clear without the page has its meaning too; a judged one its state, page and quote.
    """
    if condition is None:
        return None
    return fold(condition, _leaf_json, lambda kind, parts: {kind: parts[0] if kind == "not" else parts})


def _leaf_json(found: Leaf | JudgedLeaf) -> Any:
    leaf = found.leaf if isinstance(found, JudgedLeaf) else found
    value = attributes(leaf, "text anchor start end" + (" meaning" if leaf.meaning else ""))
    if isinstance(found, JudgedLeaf):
        value |= attributes(found, "state decisive") | {"page": str(found.source.page), "quote": found.source.quote}
    return {"leaf": value}
