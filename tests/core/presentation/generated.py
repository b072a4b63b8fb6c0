"""Pages and answers that hypothesis makes: every sentence, item and row has a word of its own, so it can be counted."""

import re
from dataclasses import dataclass, replace

from hypothesis import strategies as st

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.types import (
    All,
    Alternative,
    Answer,
    AnswerStatus,
    AnyOf,
    ConditionState,
    Contradiction,
    Element,
    Evidence,
    JudgedCondition,
    JudgedLeaf,
    Leaf,
    Not,
    PageKey,
    Reading,
    Sentence,
    SentenceRole,
    holds,
)
from clausegraph.query.read.evidence import beside_it, evidence_of

WORD = re.compile(r"\b[qsch]\d+x\b")
"""Of a sentence, item or row of a page ("q3x"), of heads ("h3x"), a written sentence ("s3x"), a condition ("c3x")."""


@dataclass(frozen=True)
class MadePage:
    """A page and the elements of it that may be cited."""

    key: PageKey
    reading: Reading

    @property
    def citable(self) -> list[Element]:
        return [one for one in self.reading.elements if not one.is_heading]

    @property
    def words(self) -> list[str]:
        """The own words of what it says, in page order."""
        return [word for one in self.reading.elements for word in WORD.findall(one.text) if word[0] == "q"]


class _Writer:
    """Writes the elements of a page one after the other."""

    def __init__(self, number: int) -> None:
        self.elements: list[Element] = []
        self._next = number * 1000
        self.headings: tuple[str, ...] = (f"Grant {number}",)

    def word(self) -> str:
        self._next += 1
        return f"q{self._next}x"

    def add(self, tag: str, text: str, **more: object) -> str:
        made = Element(f"{tag}-{len(self.elements)}-0", tag, f"<{tag}>{text}</{tag}>", text, self.headings)
        self.elements.append(replace(made, **more))  # type: ignore[arg-type]
        return made.anchor


@st.composite
def made_pages(draw: st.DrawFn, number: int) -> MadePage:
    """A page of one or two sections with paragraphs, lists (one level nested) and tables."""
    writer = _Writer(number)
    for section in range(draw(st.integers(1, 2))):
        writer.headings = (f"Grant {number}", f"Part {section}")
        writer.add("h2", f"Part {section}")
        for kind in draw(st.lists(st.sampled_from(("p", "list", "table")), min_size=1, max_size=3)):
            _write(draw, writer, kind)
    updated = draw(st.sampled_from((None, "2026-03-03", "2025-01-09")))
    reading = Reading(f"Grant {number}", f"https://x.example/{number}", tuple(writer.elements), updated=updated)
    return MadePage(PageKey("corpus", f"{number}.html"), reading)


def _write(draw: st.DrawFn, writer: _Writer, kind: str) -> None:
    if kind == "p":
        count = draw(st.integers(1, 4))
        writer.add("p", " ".join(f"You get {writer.word()} pounds." for _ in range(count)))
    elif kind == "table":
        heads = (f"Age {writer.word().replace('q', 'h')}", "Rate")
        writer.add("tr", " | ".join(heads))
        for _ in range(draw(st.integers(1, 16))):
            writer.add("tr", f"{writer.word()} years | £{len(writer.elements)}", headers=heads)
    else:
        before = f"The grant pays {writer.word()} pounds. " if draw(st.booleans()) else ""
        lead = writer.add("p", f"{before}You can get {writer.word()} if:")
        count = draw(st.integers(1, 15))
        for _ in range(count):
            nested = count <= 4 and draw(st.booleans())  # a list that is cut has none
            item = writer.add("li", f"you have {writer.word()}{' and one of:' if nested else ''}", lead_in=lead)
            for _ in range(2 if nested else 0):
                writer.add("li", f"a {writer.word()} card", lead_in=item, parent=item)


@st.composite
def evidence_on(draw: st.DrawFn, pages: list[MadePage]) -> Evidence:
    """A whole element or, of a paragraph, one of its sentences."""
    page = draw(st.sampled_from(pages))
    element = draw(st.sampled_from(page.citable))
    if element.tag == "p" and draw(st.booleans()):
        words = list(WORD.finditer(element.text))
        found = draw(st.sampled_from(words))
        return evidence_of(page.key, page.reading, element, found.start(), found.end())
    return evidence_of(page.key, page.reading, element)


def with_beside(pages: list[MadePage], evidence: Evidence) -> Evidence:
    """Evidence as it is quoted where nothing is asserted: with the other items of its list or rows of its table."""
    page = next(one for one in pages if one.key == evidence.page)
    element = page.reading.element(evidence.span.anchor)
    assert element is not None
    return beside_it(element, page.reading).added_to(evidence)


INQUIRY = Inquiry("Can I get the grant?", "I am 70.")


@st.composite
def made_corpora(draw: st.DrawFn) -> list[MadePage]:
    return [draw(made_pages(number)) for number in range(draw(st.integers(1, 2)))]


@st.composite
def written_answers(draw: st.DrawFn) -> tuple[list[MadePage], Answer]:
    """Sentences that a model wrote, of all roles; some cited again or written twice, some quoted."""
    pages = draw(made_corpora())
    sentences = []
    for at in range(draw(st.integers(1, 6))):
        cited = draw(st.lists(evidence_on(pages), min_size=1, max_size=3))
        role = draw(st.sampled_from(list(SentenceRole)))
        sums = draw(st.sampled_from(((), ("5 × £90 = £450",), ("£1 + £2 = £3",))))
        is_quoted = draw(st.integers(0, 5)) == 0
        text = cited[0].quote if is_quoted else f"You get s{at}x pounds."
        sentences.append(Sentence(text, tuple(cited[:1] if is_quoted else cited), role, is_quoted, sums))
    if draw(st.booleans()):
        sentences.append(sentences[0])
    missing = draw(st.sampled_from(("", "how to appeal")))
    found = tuple(draw(st.lists(made_alternatives(pages), max_size=1)))
    return pages, Answer(
        INQUIRY, AnswerStatus.ANSWERED, found, "default", 1, sentences=tuple(sentences), missing=missing
    )  # fmt: skip


@st.composite
def quoted_answers(draw: st.DrawFn) -> tuple[list[MadePage], Answer]:
    """What pages say where nothing is asserted, perhaps with a contradiction of two places."""
    pages = draw(made_corpora())
    quotes = [with_beside(pages, one) for one in draw(st.lists(evidence_on(pages), min_size=1, max_size=4))]
    status = draw(st.sampled_from((AnswerStatus.QUOTED, AnswerStatus.UNKNOWN)))
    denied: tuple[Contradiction, ...] = ()
    if len(pages) > 1 and draw(st.booleans()):
        sides = draw(evidence_on(pages[:1])), draw(evidence_on(pages[1:]))
        denied = (Contradiction("value", *sides, draw(st.booleans())),)
    return pages, Answer(INQUIRY, status, (), "default", 1, quotes=tuple(quotes), contradictions=denied)


@st.composite
def made_alternatives(draw: st.DrawFn, pages: list[MadePage]) -> Alternative:
    """A verdict or a value with its condition."""
    text = draw(st.sampled_from(("yes", "no", "£210", "£3 a week")))
    tree = draw(st.none() | _trees(pages))
    if tree is not None and holds(tree) is ConditionState.UNMET:
        tree = Not(tree)  # no reader returns an answer that its own condition refutes
    evidence = draw(st.lists(evidence_on(pages), min_size=1, max_size=2))
    return Alternative(text, tree, tuple(evidence), 0.9)


@st.composite
def conditional_answers(draw: st.DrawFn) -> tuple[list[MadePage], Answer]:
    """The alternatives of a reader that writes no sentences."""
    pages = draw(made_corpora())
    found = draw(st.lists(made_alternatives(pages), min_size=1, max_size=3, unique_by=lambda one: one.text))
    return pages, Answer(INQUIRY, AnswerStatus.ANSWERED, tuple(found), "default", 1)


ANSWERS = st.one_of(written_answers(), quoted_answers(), conditional_answers())


@st.composite
def _trees(draw: st.DrawFn, pages: list[MadePage], depth: int = 2) -> JudgedCondition:
    kind = draw(st.sampled_from(("leaf", "leaf", "all", "any", "not"))) if depth else "leaf"
    if kind == "leaf":
        number = draw(st.integers(0, 40))
        source = draw(evidence_on(pages))
        state = draw(st.sampled_from(list(ConditionState)))
        leaf = Leaf(source.span.anchor, source.span.start, source.span.end, f"you have a c{number}x card")
        return JudgedLeaf(leaf, state, source)
    if kind == "not":
        return Not(draw(_trees(pages, depth - 1)))
    children = tuple(draw(st.lists(_trees(pages, depth - 1), min_size=2, max_size=3)))
    return All(children) if kind == "all" else AnyOf(children)
