"""What the rules state: the pages of ``statements.txt``, and whatever an input is."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausegraph.core.extraction import ExtractionInput, InputElement
from clausegraph.core.language.headings import heading_case
from clausegraph.core.types import leaves
from clausegraph.ingestion.extract.rules.extractor import RuleExtractor
from tests.ingestion.rules.sketch import TITLE, cases, page, stated, written

EXTRACTOR = RuleExtractor()
CASES = list(cases(Path(__file__).with_name("statements.txt").read_text("utf-8")))


@pytest.mark.parametrize(("title", "sketch", "lines"), [one[1:] for one in CASES], ids=[one[0] for one in CASES])
def test_what_is_stated_of_a_page(title: str, sketch: str, lines: list[str]) -> None:
    assert list(stated(page(sketch, title))) == lines


def test_a_statement_cites_its_sentence_and_the_lists_that_it_rests_on() -> None:
    nested = page(
        "You can get a Heating Grant if all of these apply:\n- you are 60 or over\n- your income is low after rent and:"
        "\n-- the cost of care"
    )
    found = EXTRACTOR.extract(nested)
    cited = {span.anchor for one in found.statements if one.condition for span in one.spans}
    assert cited == {"e0", "e1", "e2", "e3"}
    later = (  # of a list that begins in an earlier chunk only the own items
        InputElement("c0", "p", "You cannot claim if you are 70 and either:"),
        InputElement("e0", "li", "you work", lead_in="c0"),
        InputElement("e1", "li", "you own a home", lead_in="c0"),
    )
    (one,) = EXTRACTOR.extract(ExtractionInput(TITLE, (), later)).statements
    assert written(one.condition) == "all[you are 70; any[you work; you own a home]]"
    assert [span.anchor for span in one.spans] == ["e0", "e1"]
    assert [leaf.anchor for leaf in leaves(one.condition)] == ["c0", "e0", "e1"]


@pytest.mark.parametrize(
    ("text", "case"),
    [
        ("If you’re in a care home", "you’re in a care home"),
        ("If you live abroad and have no bank account", "all[you live abroad; have no bank account]"),
        ("Unless you are a tenant", "not(you are a tenant)"),
        ("Paying the fee if you’re in Scotland", "you’re in Scotland"),
        ("In Scotland", "In Scotland"),
        ("Outside London", "Outside London"),
        ("Applicants outside the UK", "Applicants outside the UK"),
        ("Children under 5", "Children under 5"),
        ("For less than 12 months", "For less than 12 months"),
        ("For groups", "For groups"),
        ("Inside the zone", "Inside the zone"),
        ("Under 16", "Under 16"),
        ("You have a septic tank", "You have a septic tank"),
        ("Courses that started before 1 August 2019", "Courses that started before 1 August 2019"),
        *((topic, "") for topic in ("Eligibility", "How to claim", "You can appeal", "You’ll get a letter")),
        *((topic, "") for topic in ("When you can claim", "In shops", "For more help", "What if I work?", "Children")),
    ],
)
def test_which_headings_state_a_case(text: str, case: str) -> None:
    assert written(heading_case(text, "h0")) == case


_WORDS = "if unless you must can the grant : . , either all of these and or £20 | under 18 apply we do not to - ( )"
_TEXTS = st.one_of(st.lists(st.sampled_from(_WORDS.split()), max_size=18).map(" ".join), st.text(max_size=40))


@st.composite
def _inputs(draw: st.DrawFn) -> ExtractionInput:
    """Any few elements, with lead-ins that may point anywhere, themselves included."""
    labels = draw(st.permutations(["c0", "e0", "e1", "e2", "e3"]))
    above = st.one_of(st.none(), st.sampled_from(labels))
    tags = st.sampled_from(["p", "li", "tr", "h2"])
    made = [InputElement(label, draw(tags), draw(_TEXTS), (), draw(above), draw(above)) for label in labels]
    return ExtractionInput(draw(st.text(max_size=10)), (), tuple(made))


@given(_inputs())
def test_any_input_gives_exact_spans_of_own_elements(given_input: ExtractionInput) -> None:
    found = EXTRACTOR.extract(given_input)
    texts = {element.label: element.text for element in given_input.elements}
    for one in found.statements:
        assert one.spans
        for span in one.spans:
            assert span.anchor.startswith("e") and 0 <= span.start <= span.end <= len(texts[span.anchor])
        for leaf in leaves(one.condition):
            assert leaf.text == texts[leaf.anchor][leaf.start : leaf.end] != ""
    assert EXTRACTOR.extract(given_input) == found
