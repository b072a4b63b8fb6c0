"""Hostile replies through the parser: rules of the page's own elements, rejects with reasons, or a failure."""

import re
import time
import unicodedata

from clausegraph.core.errors import UnusableReply
from clausegraph.core.extraction import Extraction, ExtractionInput, extraction_input
from clausegraph.core.language.normalise import tokens
from clausegraph.core.pages.chunks import chunk_reading
from clausegraph.core.pages.read import SourceDocument, read_document
from clausegraph.core.serial import extraction_from_json, extraction_to_json, pack, unpack
from clausegraph.core.types import LITERAL, PUBLISHER, Literal, Mention, Modality, Rule, Statement, leaves
from clausegraph.indexes.derive import object_key
from clausegraph.ingestion.extract.llm.lines import parse_triples, statements_of_lines
from clausegraph.ingestion.extract.llm.numbering import Call, number_call
from clausegraph.ingestion.extract.llm.rules_reply import parse_rules
from tests.harness.cases import for_each
from tests.harness.wait import no_hang
from tests.injection.documents.hostile import FACT, REPLIES, RULE, reply

PAGE = """<title>Rent Grant</title><main><h1>Rent Grant</h1>
<p>The Rent Grant is a payment of £210 a year.</p>
<p>You can get the Rent Grant if you rent a flat.</p>
<h2>How to apply</h2><p>You must send form R1 by 5 May.</p><p>You can apply if you are over 18.</p>
<h2>Appeals</h2><p>You can appeal to the Rent Panel within 30 days.</p></main>"""
STATED = set(tokens(re.sub("<[^>]+>", " ", PAGE)))
MAX_NAME = 5000  # characters; generous: what matters is that no name of a megabyte gets in


def page_call(page: str = PAGE) -> Call:
    """The chunks of the page in one call: element 1 is the heading, 2 and 3 the paragraphs below it."""
    reading = chunk_reading(read_document(SourceDocument("rent.html", page.encode()))[0])
    return number_call([extraction_input(reading, chunk)[0] for chunk in reading.chunks])


def check(extraction: Extraction, source: ExtractionInput) -> None:
    """What must hold of every extraction, whatever the model said."""
    texts = {element.label: element.text for element in (*source.above, *source.around, *source.elements)}
    made: list[Statement | Rule] = [*extraction.statements, *extraction.rules]
    for one in made:
        assert one.spans
        for span in one.spans:
            assert span.anchor.startswith("e") and 0 <= span.start < span.end <= len(texts[span.anchor])
        for leaf in leaves(one.condition):
            assert leaf.text == texts[leaf.anchor][leaf.start : leaf.end] != ""
            assert not unseen(leaf.meaning) and len(leaf.meaning) <= MAX_NAME
    entities = [role.entity for rule in extraction.rules for role in rule.roles]
    for statement in extraction.statements:
        assert len(statement.relation) <= MAX_NAME and statement.relation.strip() and not unseen(statement.relation)
        assert object_key(statement.object).startswith(LITERAL) == isinstance(statement.object, Literal)
        if isinstance(statement.object, Literal):
            check_name(statement.object.value, statement.object.kind)
        entities += [end for end in (statement.subject, statement.object) if isinstance(end, Mention)]
    for entity in {one for one in entities if one != PUBLISHER}:
        assert not entity.key.startswith(LITERAL) and entity.key != PUBLISHER.key
        check_name(entity.surface, entity.type)
    for held in made:
        assert isinstance(held.polarity, bool) and isinstance(held.modality, Modality)
        for date in (held.effective_from, held.effective_to):
            assert date is None or (len(date) == 10 and time.strptime(date, "%Y-%m-%d"))
    for reject in extraction.rejects:
        assert reject.reason.strip() and len(reject.what) + len(reject.reason) < 3000
        assert not {c for c in reject.what + reject.reason if unicodedata.category(c) == "Cs"}
    stored = pack(extraction_to_json(extraction))
    assert extraction_from_json(unpack(stored)) == extraction and len(stored) < 100_000


def check_name(name: str, kind: str) -> None:
    assert name.strip() and len(name) <= MAX_NAME and not unseen(name), ascii(name[:200])
    assert kind and len(kind) <= 200 and not unseen(kind)
    assert set(tokens(name)) & STATED or kind == "person", name  # whom the page addresses


def unseen(text: str) -> set[str]:
    """Control, direction, private and surrogate characters, and line ends."""
    return {c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")}


def test_there_are_enough_of_them() -> None:
    assert len(REPLIES) >= 50


def test_an_honest_reply_is_used() -> None:
    call = page_call()
    assert [(n.number, n.element.tag) for n in call.printed[:3]] == [(1, "h1"), (2, "p"), (3, "p")]
    (first, *_) = parse_rules(reply(FACT, RULE), call, cut_off=False)
    assert first is not None and len(first.statements) == len(first.rules) == 2 and not first.rejects
    check(first, call.inputs[0])


@for_each("cut_off", [False, True])
@for_each("name", REPLIES)
def test_reply(name: str, cut_off: bool) -> None:
    call = page_call()
    with no_hang():
        try:
            found = parse_rules(REPLIES[name], call, cut_off=cut_off)
        except UnusableReply as error:
            assert len(str(error)) < 2000 and not unseen(str(error))
            found = ()
    assert len(found) in (0, len(call.inputs))
    for extraction, source in zip(found, call.inputs, strict=False):
        if extraction is not None:
            check(extraction, source)


@for_each("name", REPLIES)
def test_reply_in_triplets(name: str) -> None:
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


def made_of(name: str) -> list[Extraction]:
    return [one for one in parse_rules(REPLIES[name], page_call(), cut_off=False) if one is not None]


_READ = ("means", "hostile", "denies", "itself", "empty-quote", "many")  # conditions that say what they should
_REFUSED = [
    *("place-zero", "place-label", "place-letters", "place-range", "place-of-markers", "kind-unknown", "kind-mb"),
    *("fact-not-stated", "fact-elsewhere", "fact-backtracking", "fact-empty", "role-not-said"),
    *("name-not-stated", "name-number", "name-punctuation", "role-unknown", "field-unknown", "modality-unknown"),
    *(name for name in REPLIES if name.startswith("condition-") and not name.endswith(_READ)),
]


@for_each("name", _REFUSED)
def test_what_is_refused_has_a_reason(name: str) -> None:
    """A fact that cannot be read is none; a rule is none without its condition, and stands without what it names."""
    made = made_of(name)
    assert any(extraction.rejects for extraction in made)
    if not name.startswith(("name", "role")):
        assert not any(extraction.statements for extraction in made)
    if name.startswith(("place", "kind", "condition")):
        assert not any(extraction.rules for extraction in made)


def test_one_bad_line_does_not_take_the_good_ones_along() -> None:
    call = page_call()
    for name, text in REPLIES.items():
        if text.count("\n") < 1000:
            first = parse_rules(f"{text}\n2 contact", call, cut_off=False)[0]
            assert first is not None and "contact" in {rule.kind for rule in first.rules}, name
