"""What holds of every presentation, whatever pages and answers are."""

import re
from collections import Counter
from dataclasses import replace

from hypothesis import HealthCheck, event, given, note, settings
from hypothesis import strategies as st

from clausegraph.app.render import answer_markdown, answer_text
from clausegraph.core.presentation.answer import Presentation, present
from clausegraph.core.presentation.quoted_parts import LineKind, PresentedLine
from clausegraph.core.types import Answer, AnswerStatus, Sentence
from clausegraph.query.read.evidence import evidence_of
from tests.core.presentation.faces import faces
from tests.core.presentation.generated import (
    ANSWERS,
    INQUIRY,
    WORD,
    MadePage,
    conditional_answers,
    made_pages,
    quoted_answers,
    with_beside,
    written_answers,
)

FEW = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
MADE = tuple[list[MadePage], Answer]
_COUNT = re.compile(r"(\d+) more\b")


def _own(text: str) -> list[str]:
    """The own words of what a page says, in the order of a text."""
    return [word for word in WORD.findall(text) if word.startswith("q")]


def _noted(answer: Answer) -> Presentation:
    note(answer_text(answer))
    return present(answer)


def _all_lines(shown: Presentation) -> list[PresentedLine]:
    sources = (line for source in shown.sources for line in source.lines)
    return [*shown.headline, *shown.disputed, *shown.next, *shown.more, *sources]


@FEW
@given(quoted_answers())
def test_quotes_of_a_page_and_their_items_are_in_page_order(made: MADE) -> None:
    pages, answer = made
    shown = dict.fromkeys(_own(" ".join(line.text for line in _noted(answer).headline)))  # a lead-in may come again
    for page in pages:
        order = [page.words.index(word) for word in shown if word in page.words]
        assert order == sorted(order)


@FEW
@given(ANSWERS)
def test_tables_and_lists_of_a_source_are_in_page_order(made: MADE) -> None:
    pages, answer = made
    places = {word: at for page in pages for at, word in enumerate(page.words)}
    lists: dict[str, object] = {}
    for page in pages:
        for one in page.reading.elements:
            place = (one.lead_in or one.headers) if one.tag in ("li", "tr") else (one.anchor, "itself")
            lists |= dict.fromkeys(_own(one.text), (page.key, place, one.headings))
    for line in _all_lines(_noted(answer)):
        if line.table is not None:
            order = [places[word] for row in line.table.rows for word in _own(" ".join(row.cells))]
            assert order == sorted(order)
    for source in present(answer).sources:
        words = _own(" ".join(line.text.split("” … “")[-1] for line in source.lines))
        for group in {lists[word] for word in words}:
            order = [places[word] for word in words if lists[word] == group]
            assert order == sorted(order)


@FEW
@given(ANSWERS)
def test_each_sentence_and_each_quote_stands_once(made: MADE) -> None:
    _, answer = made
    for text in (answer_text(answer), answer_markdown(answer)):
        said = Counter(word for word in WORD.findall(text) if word.startswith("s"))
        assert set(said.values()) <= {1}
    note(answer_text(answer))
    shown = present(answer)
    for lines in (shown.headline, shown.disputed, [line for source in shown.sources for line in source.lines]):
        numbers = (number for line in lines if line.kind is LineKind.QUOTE for number in line.citations)
        assert set(Counter(numbers).values()) <= {1}


@FEW
@given(st.one_of(written_answers(), quoted_answers()))
def test_what_a_page_says_is_quoted_once(made: MADE) -> None:
    pages, answer = made
    # both sides of a contradiction, what bears conditions, and an item in the place of a sentence may come again
    sentences = tuple(one for one in answer.sentences if not one.quoted)
    answer = replace(answer, contradictions=(), alternatives=(), sentences=sentences)
    leads = {
        word for page in pages for one in page.reading.elements if one.text.endswith(":") for word in _own(one.text)
    }
    note(answer_text(answer))
    quoted = Counter(word for word in _own(answer_text(answer)) if word not in leads)
    assert [word for word, count in quoted.items() if count > 1] == []


@FEW
@given(made_pages(1), st.data())
def test_no_list_or_table_is_cut_without_its_count(page: MadePage, data: st.DataObject) -> None:
    element = data.draw(st.sampled_from(page.citable))
    evidence = evidence_of(page.key, page.reading, element)
    is_quoted = data.draw(st.booleans())
    if is_quoted:
        evidence = with_beside([page], evidence)
        answer = Answer(INQUIRY, AnswerStatus.QUOTED, (), "default", 1, quotes=(evidence,))
    else:
        written = (Sentence("You get s1x.", (evidence,)),)
        answer = Answer(INQUIRY, AnswerStatus.ANSWERED, (), "default", 1, sentences=written)
    event(f"{element.tag} left {evidence.items_left > 0}")
    for words in (answer_text(answer), answer_markdown(answer)):
        shown = sum(all(word in words for word in _own(item)) for item in evidence.items)
        counted = sum(map(int, _COUNT.findall(words)))
        assert shown + counted == len(evidence.items) + evidence.items_left


@FEW
@given(conditional_answers())
def test_two_verdicts_do_not_hold_at_once(made: MADE) -> None:
    shown = [line.text for line in _noted(made[1]).headline if line.kind is not LineKind.CONDITION]
    verdicts = {match[1] for text in shown if (match := re.match(r"(?:\d+\. )?(Yes|No)\.", text))}
    if len(verdicts) > 1:
        assert shown[0].startswith(("The pages disagree", "The pages say both"))


@FEW
@given(ANSWERS)
def test_all_faces_say_the_same(made: MADE) -> None:
    shown = present(made[1])
    said = faces(made[1])
    for name, words in said.items():
        for line in _all_lines(shown):
            if line.kind is LineKind.CONDITION and name == "console":
                assert all(word in words for word in WORD.findall(line.text)), (name, line)
            elif line.is_in_table and name in ("markdown", "console"):
                cells = [cell for row in (line.table.rows if line.table else ()) for cell in row.cells]
                assert all(cell in words for cell in cells), (name, line)
            else:
                assert line.text in words, (name, line)
        for text in (*shown.check, *shown.for_you, *shown.calculations):
            assert text in words, (name, text)
        for source in shown.sources:
            assert source.title in words and source.address in words and source.updated in words
