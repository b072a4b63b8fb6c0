"""From the truth to rows: pure functions of a reading, its stored extractions and the decisions about names.

``derive_rows`` makes the rows of a page under the names as written; ``with_names`` puts a support under the
entities that the decisions in force take its names for. A support keeps its statement as written, so the
second can be done again, or taken back, from the row alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from clausegraph.core.embedding_texts import FINGERPRINT as TEXTS_FINGERPRINT
from clausegraph.core.embedding_texts import element_texts, rule_text, statement_text
from clausegraph.core.extraction import Extraction, ExtractionInput, extraction_inputs
from clausegraph.core.hashing import canonical_json, content_hash, fact_id
from clausegraph.core.language.definitions import find_definitions
from clausegraph.core.language.normalise import entity_key
from clausegraph.core.language.rule_kinds import VERSION as RULES_VERSION
from clausegraph.core.page_rules import PageNodes, page_rules
from clausegraph.core.pages.steps import PageSteps
from clausegraph.core.serial import relabel, rule_from_text, rule_to_json, statement_from_text, statement_to_json
from clausegraph.core.types import LITERAL, Literal, Mention, Reading, Rule, Span, Statement, Support

# Its words are stored with every page: they stay. Raised, too, with what ``contradictions`` makes of rules
DERIVATION_FINGERPRINT = f"projection:6+rules:{RULES_VERSION}+{TEXTS_FINGERPRINT}"
DEFINITIONS = "definitions:1"  # who states what other names a page gives, whichever extractor reads the rest
RULE_READER = f"ruling:{RULES_VERSION}"  # who reads the rules of pages, whichever extractor reads the rest
IS_CALLED = "is also called"  # relation of those statements: a name, and as text another one for it

T = TypeVar("T", Statement, Rule)
Texts = Mapping[tuple[str, str], str]  # chunk key and statement (JSON) → what is embedded of it, in order


@dataclass(frozen=True, slots=True)
class ChunkRow:
    key: str
    content_hash: str
    input_key: str


@dataclass(frozen=True, slots=True)
class SupportRow:
    chunk_key: str
    fact_id: str
    subject: str
    relation: str
    object: str
    content_key: str
    extractor: str
    statement: str  # canonical JSON with real anchors


@dataclass(frozen=True, slots=True)
class RuleRow:
    chunk_key: str
    content_key: str
    extractor: str
    kind: str
    rule: str  # canonical JSON with real anchors


@dataclass(frozen=True, slots=True)
class RoleRow:
    rule_key: str  # content key of the rule
    position: int  # among its roles
    role: str
    entity: str


@dataclass(frozen=True, slots=True)
class VectorRow:
    """What is to be embedded of a page: ``kind`` is one of ``VECTOR_KINDS``, ``ref`` the key, anchor or fact id."""

    kind: str
    ref: str
    text_hash: str
    text: str


@dataclass(frozen=True, slots=True)
class PageRows:
    """The rows of one page version; ``vectors`` are those of its chunks, elements and rules.

    Those of its facts follow from the supports and their ``texts`` by :func:`fact_vectors`, once the names of the
    supports are resolved.
    """

    chunks: tuple[ChunkRow, ...]
    supports: tuple[SupportRow, ...]
    vectors: tuple[VectorRow, ...]
    texts: Texts = field(default_factory=dict)
    rules: tuple[RuleRow, ...] = ()


def derive_rows(
    reading: Reading,
    extractions: Mapping[str, Extraction],
    extractor: str,
    scope: str = "",
    ruled: Mapping[Rule, str] | None = None,
) -> PageRows:
    """Compute the rows of a page version, every name standing for itself.

    ``extractions`` are by ``ExtractionInput.key``, made by the extractor of that fingerprint; a chunk without one gets
    no supports. ``scope`` is that of the page's inputs (``core.extraction.scope_of``); ``ruled`` are rules that are
    none of the extractions', with the page's anchors, each with the key of its chunk.
    """
    chunk_rows: list[ChunkRow] = []
    placed: list[tuple[str, Statement, str]] = []
    defined: set[tuple[str, str]] = set()
    vectors = [_vector("chunk", chunk.key, chunk.text) for chunk in reading.chunks]
    steps = PageSteps.of(reading)
    of_chunks = {steps.placed(rule): chunk for rule, chunk in (ruled or {}).items()}
    texts = zip(reading.elements, element_texts(reading), strict=True)
    vectors += [_vector("element", element.anchor, text) for element, text in texts]
    for chunk, (source, anchors) in zip(reading.chunks, extraction_inputs(reading, scope), strict=True):
        chunk_rows.append(ChunkRow(chunk.key, chunk.content_hash, source.key))
        extraction = extractions.get(source.key)
        made = extraction.statements if extraction else ()
        found = [(one, extractor) for one in made] + [(one, DEFINITIONS) for one in _definitions(source, defined)]
        for statement, by in found:
            placed.append((chunk.key, steps.placed(with_anchors(statement, anchors)), by))
        for rule in extraction.rules if extraction else ():
            of_chunks[steps.placed(with_anchors(rule, anchors))] = chunk.key
    rules = page_rules(list(of_chunks), reading)
    nodes = PageNodes.of(rules)
    supports, stated = {}, []
    for chunk_key, one, by in placed:
        narrowed = one if by == DEFINITIONS else nodes.placed(one)
        row = _support(chunk_key, narrowed, by, {})
        supports[row.content_key] = row
        if by != DEFINITIONS:
            stated.append((row.chunk_key, row.statement, narrowed))
    by = RULE_READER if ruled else extractor
    ruled_rows = _rule_rows(rules, {rule.spans: chunk for rule, chunk in of_chunks.items()}, by)
    vectors += _rule_vectors(reading, ruled_rows)
    return PageRows(tuple(chunk_rows), tuple(supports.values()), tuple(vectors), _texts(reading, stated), ruled_rows)


def _rule_rows(rules: Iterable[Rule], chunks: Mapping[tuple[Span, ...], str], by: str) -> tuple[RuleRow, ...]:
    """The rules of a page; ``chunks`` says by spans which chunk each is of, ``by`` who read them."""
    found: dict[str, RuleRow] = {}
    for rule in rules:
        chunk = chunks[rule.spans]
        body = canonical_json(rule_to_json(rule))
        key = content_hash("rule", chunk, body)
        found[key] = RuleRow(chunk, key, by, rule.kind.value, body)
    return tuple(found.values())


def _rule_vectors(reading: Reading, rows: Iterable[RuleRow]) -> Iterator[VectorRow]:
    by_anchor = {element.anchor: element for element in reading.elements}
    headings = {chunk.key: chunk.headings for chunk in reading.chunks}
    for row in rows:
        text = rule_text(reading.title, headings[row.chunk_key], rule_from_text(row.rule), by_anchor)
        yield _vector("rule", row.content_key, text)


def role_rows(rows: Iterable[RuleRow], names: Mapping[str, str]) -> list[RoleRow]:
    """The entities of rules, each under the name that is in force."""
    return [
        RoleRow(row.content_key, position, role.name.value, names.get(role.entity.key, role.entity.key))
        for row in rows
        for position, role in enumerate(rule_from_text(row.rule).roles)
    ]


def stated_texts(reading: Reading, rows: Iterable[SupportRow]) -> Texts:
    """What is embedded of the statements of a page's supports, in the order of chunks, then of statements."""
    stated = (row for row in rows if row.extractor != DEFINITIONS)
    return _texts(reading, [(row.chunk_key, row.statement, statement_from_text(row.statement)) for row in stated])


def fact_vectors(rows: Iterable[SupportRow], texts: Texts) -> list[VectorRow]:
    """One row for each fact that a page states: the text of its first statement there, which no name changes."""
    facts: dict[tuple[str, str], set[str]] = {}
    for row in rows:
        facts.setdefault((row.chunk_key, row.statement), set()).add(row.fact_id)
    first: dict[str, str] = {}
    for key, text in texts.items():
        for identity in sorted(facts.get(key, ())):
            first.setdefault(identity, text)
    return [_vector("fact", identity, text) for identity, text in first.items()]


def _definitions(source: ExtractionInput, seen: set[tuple[str, str]]) -> Iterator[Statement]:
    """The other names that a chunk's own elements give, each once a page."""
    for element in source.elements:
        for found in find_definitions(element.text) if element.is_own else ():
            key, alias = entity_key(found.name), entity_key(found.alias)
            if key and alias and key != alias and (key, alias) not in seen:
                seen.add((key, alias))
                span = Span(element.label, found.start, found.end)
                name = Mention(found.name, key, written=element.text[found.start : found.end])
                yield Statement(name, IS_CALLED, Literal(found.alias), (span,))


def with_names(row: SupportRow, names: Mapping[str, str]) -> SupportRow:
    """The row with the names of its statement, as written, resolved by ``names``; the statement stays."""
    return _support(row.chunk_key, statement_from_text(row.statement), row.extractor, names)


def statement_id(support: Support) -> str:
    """What a statement at its place is called: the content key of its row."""
    body = canonical_json(statement_to_json(support.statement))
    return content_hash("support", support.chunk_key, support.fact_id, body, support.extractor)


def with_anchors(stated: T, anchors: Mapping[str, str]) -> T:
    """The statement or rule with its labels replaced by the page's anchors."""
    spans = tuple(Span(anchors[span.anchor], span.start, span.end) for span in stated.spans)
    return replace(stated, spans=spans, condition=relabel(stated.condition, dict(anchors)))


def object_key(node: Mention | Literal) -> str:
    """The key of a fact's object: an entity's key, or the literal's value behind ``LITERAL``."""
    return node.node_key if isinstance(node, Mention) else LITERAL + " ".join(node.value.lower().split())


def _texts(reading: Reading, stated: Iterable[tuple[str, str, Statement]]) -> Texts:
    chunks = {chunk.key: (number, chunk.headings) for number, chunk in enumerate(reading.chunks)}
    ordered = sorted(stated, key=lambda one: (chunks[one[0]][0], one[1]))
    return {
        (chunk, body): statement_text(reading.title, chunks[chunk][1], statement) for chunk, body, statement in ordered
    }


def _vector(kind: str, ref: str, text: str) -> VectorRow:
    return VectorRow(kind, ref, content_hash("text", text), text)


def _support(chunk_key: str, statement: Statement, extractor: str, names: Mapping[str, str]) -> SupportRow:
    written = statement.subject.node_key, object_key(statement.object)
    subject, target = (names.get(key, key) for key in written)  # no name begins with LITERAL
    ends = (end for end in (statement.subject, statement.object) if isinstance(end, Mention))
    qualifiers = (end.key for end in ends if end.node and not end.node.startswith(LITERAL))
    identity = fact_id(subject, statement.relation, target, *qualifiers)
    body = canonical_json(statement_to_json(statement))
    key = content_hash("support", chunk_key, identity, body, extractor)
    return SupportRow(chunk_key, identity, subject, statement.relation, target, key, extractor, body)
