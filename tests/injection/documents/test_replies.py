"""Hostile replies through the parser: statements of the page's own elements, rejects with reasons, or a failure."""

from __future__ import annotations

import json
import time
import unicodedata

import pytest

from clausegraph.core.errors import UnusableReply
from clausegraph.core.extraction import Extraction, ExtractionInput, extraction_input
from clausegraph.core.language.normalise import tokens
from clausegraph.core.pages.chunks import chunk_reading
from clausegraph.core.pages.read import SourceDocument, read_document
from clausegraph.core.serial import extraction_from_json, extraction_to_json, pack, unpack
from clausegraph.core.types import LITERAL, Literal, Mention, Modality, leaves
from clausegraph.indexes.derive import object_key
from clausegraph.ingestion.extract.llm.conditional import parse_conditional
from clausegraph.ingestion.extract.llm.lines import parse_triples, statements_of_lines
from clausegraph.ingestion.extract.llm.numbering import Call, number_call
from tests.harness.cases import for_each
from tests.harness.wait import no_hang
from tests.injection.documents.hostile import REPLIES, reply, triple

pytestmark = pytest.mark.unit

PAGE = """<title>Rent Grant</title><main><h1>Rent Grant</h1>
<p>The Rent Grant is a payment of £210 a year.</p>
<p>You can get the Rent Grant if you rent a flat.</p>
<h2>How to apply</h2><p>You must send form R1 by 5 May.</p><p>You can apply if you are over 18.</p>
<h2>Appeals</h2><p>You can appeal to the Rent Panel within 30 days.</p></main>"""
MAX_NAME = 5000  # characters; generous: what matters is that no name of a megabyte gets in


def page_call(page: str = PAGE) -> Call:
    """The chunks of the page in one call: element 1 is the heading, 2 and 3 the paragraphs below it."""
    reading = chunk_reading(read_document(SourceDocument("rent.html", page.encode()))[0])
    return number_call([extraction_input(reading, chunk)[0] for chunk in reading.chunks])


def check(extraction: Extraction, source: ExtractionInput) -> None:
    """What must hold of every extraction, whatever the model said."""
    texts = {element.label: element.text for element in (*source.above, *source.elements)}
    stated = set(tokens(" ".join((source.title, *source.headings, *texts.values()))))
    for statement in extraction.statements:
        assert statement.spans
        for span in statement.spans:
            assert span.anchor.startswith("e") and 0 <= span.start < span.end <= len(texts[span.anchor])
        for leaf in leaves(statement.condition):
            assert leaf.text == texts[leaf.anchor][leaf.start : leaf.end] != ""
        assert isinstance(statement.polarity, bool) and isinstance(statement.modality, Modality)
        ends = (statement.subject, statement.object)
        names = [end.surface if isinstance(end, Mention) else end.value for end in ends]
        kinds = [end.type if isinstance(end, Mention) else end.kind for end in ends]
        for name in (*names, statement.relation):
            assert name.strip() and len(name) <= MAX_NAME and not unseen(name), ascii(name[:200])
        assert all(kind and len(kind) <= 200 and not unseen(kind) for kind in kinds)
        assert all(set(tokens(name)) & stated for name in names if tokens(name) != ["you"]), names
        assert not statement.subject.key.startswith(LITERAL)
        assert object_key(statement.object).startswith(LITERAL) == isinstance(statement.object, Literal)
        for date in (statement.effective_from, statement.effective_to):
            assert date is None or (len(date) == 10 and time.strptime(date, "%Y-%m-%d"))
    for reject in extraction.rejects:
        assert reject.reason.strip() and len(reject.what) + len(reject.reason) < 2000
        assert not {c for c in reject.what + reject.reason if unicodedata.category(c) == "Cs"}
    stored = pack(extraction_to_json(extraction))
    assert extraction_from_json(unpack(stored)) == extraction and len(stored) < 100_000


def unseen(text: str) -> set[str]:
    """Control, direction, private and surrogate characters, and line ends."""
    return {c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")}


def test_there_are_enough_of_them() -> None:
    assert len(REPLIES) >= 50


def test_an_honest_reply_is_used() -> None:
    call = page_call()
    assert [(n.number, n.element.tag) for n in call.printed[:3]] == [(1, "h1"), (2, "p"), (3, "p")]
    (first, *_) = parse_conditional(reply(triple()), call, cut_off=False)
    assert first is not None and len(first.statements) == 1 and not first.rejects
    check(first, call.inputs[0])


@for_each("cut_off", [False, True])
@for_each("name", REPLIES)
def test_reply(name: str, cut_off: bool) -> None:
    call = page_call()
    with no_hang():
        try:
            found = parse_conditional(REPLIES[name], call, cut_off=cut_off)
        except UnusableReply as error:
            assert len(str(error)) < 2000 and not unseen(str(error))
            found = ()
    assert len(found) in (0, len(call.inputs))
    for extraction, source in zip(found, call.inputs, strict=False):
        if extraction is not None:
            check(extraction, source)


@for_each("name", REPLIES)
def test_reply_in_lines(name: str) -> None:
    """The same as an answer to a prompt that asks for one triplet a line."""
    source = page_call().inputs[0]
    with no_hang():
        for text in (REPLIES[name], "(" * 2000 + REPLIES[name][:10_000], f"(Rent Grant, is, {REPLIES[name][:10_000]})"):
            try:
                triples, rejects = parse_triples(text)
            except UnusableReply:
                continue
            found = statements_of_lines(triples, source)
            check(Extraction(found.statements, (*rejects, *found.rejects)), source)


_REFUSED = [
    *("element-negative", "element-zero", "element-label", "element-anchor", "element-huge", "element-null"),
    *("element-none", "element-object", "huge-int", "huge-float", "nan", "name-not-stated", "name-empty", "name-null"),
    *("name-punctuation", "relation-empty", "relation-null", "triples-scalars"),
]


@for_each("name", _REFUSED)
def test_what_is_refused_has_a_reason(name: str) -> None:
    try:
        found = parse_conditional(REPLIES[name], page_call(), cut_off=False)
    except UnusableReply:
        return
    made = [extraction for extraction in found if extraction is not None]
    assert not any(extraction.statements for extraction in made)
    assert any(extraction.rejects for extraction in made)


_CONDITIONS = [
    *("condition-elsewhere", "condition-invented", "condition-empty-quote", "condition-not-list", "condition-text"),
    *("condition-label", "condition-empty-all", "infinity"),
]


@for_each("name", _CONDITIONS)
def test_a_condition_that_cannot_be_read_is_never_dropped_in_silence(name: str) -> None:
    """A statement whose condition is wrong is not stored as one that always holds."""
    try:
        found = parse_conditional(REPLIES[name], page_call(), cut_off=False)
    except UnusableReply:
        return
    for extraction in found:
        if extraction is not None and any(statement.condition is None for statement in extraction.statements):
            assert extraction.rejects


def test_a_triple_stays_in_its_chunk() -> None:
    """Elements of two chunks: only those of the chunk that owns the first are cited."""
    call = page_call()
    assert len(call.inputs) > 1
    for elements in ([2, 5], [5, 2], [2, 3, 4, 5, 6, 7]):
        found = parse_conditional(reply(triple(elements=elements)), call, cut_off=False)
        for extraction, source in zip(found, call.inputs, strict=True):
            assert extraction is not None
            check(extraction, source)


def test_one_bad_triple_does_not_take_the_good_ones_along() -> None:
    call = page_call()
    for name, text in REPLIES.items():
        try:
            triples = json.loads(text)["triples"]
        except (ValueError, TypeError, KeyError, RecursionError):
            continue
        if not isinstance(triples, list) or len(triples) > 10 or "mb" in name or "deep" in name:
            continue
        honest = triple(relation="costs", object="£210")
        made = parse_conditional(json.dumps({"triples": [*triples, honest]}), call, cut_off=False)
        assert made[0] is not None
        assert "costs" in {statement.relation for statement in made[0].statements}, name
