"""Lists of what is refused or not asked for: one condition with any of the items, an exception of what is granted."""

from __future__ import annotations

import pytest

from clausegraph.core.extraction import InputElement
from clausegraph.core.types import leaves
from clausegraph.ingestion.extract.rules.extractor import RuleExtractor
from clausegraph.ingestion.extract.rules.sections import same_outcome
from tests.ingestion.rules.trees import item, prose, source, written

pytestmark = pytest.mark.unit


def _conditions(*elements: InputElement) -> dict[str, str]:
    """The condition of the statement or rule at each paragraph, by its label."""
    found = RuleExtractor().extract(source(*elements, title="Mooring licence"))
    every = (*found.statements, *(one for one in found.passages if one.kind == "rule"))
    return {one.spans[0].anchor: written(one.condition) for one in every if one.spans[0].anchor in ("e0", "e1")}


_REFUSED = (prose("We will not give a licence for:", "e1"), item("a raft", "e2", "e1"), item("a hulk", "e3", "e1"))


def test_items_of_an_exempt_list_are_alternatives_each_in_its_own_words() -> None:
    lead = prose("You do not have to pay harbour dues on:", "e0")
    first = item("a boat built before 1950, unless you hire it out", "e1", "e0")
    found = RuleExtractor().extract(source(lead, first, item("a canoe", "e2", "e0")))
    (rule,) = (one for one in found.passages if one.spans[0].anchor == "e0")
    assert written(rule.condition) == "any[all[a boat built before 1950; not(you hire it out)]; a canoe]"
    assert [span.anchor for span in rule.spans] == ["e0", "e1", "e2"]
    assert [leaf.meaning for leaf in leaves(rule.condition)] == [
        "harbour dues on a boat built before 1950",
        "",
        "harbour dues on a canoe",
    ]


@pytest.mark.parametrize(
    ("grant", "refused", "tree"),
    [
        (
            "You can get a licence if your home is at the quay.",
            _REFUSED,
            "all[your home is at the quay; not(any[a raft; a hulk])]",
        ),
        (
            "You can get a Mooring licence if you own a boat.",
            (prose("You cannot get it if:", "e1"), item("you owe dues", "e2", "e1"), item("you sold it", "e3", "e1")),
            "all[you own a boat; not(any[you owe dues; you sold it])]",
        ),
        (  # another thing is refused
            "You can get a discount if you own a boat.",
            _REFUSED,
            "you own a boat",
        ),
        (  # what is below a "but" is no list of what is refused
            "You can get a licence if you own a boat.",
            (prose("You do not have to live here to get a licence, but:", "e1"), item("you must own it", "e2", "e1")),
            "you own a boat",
        ),
    ],
)
def test_what_a_list_refuses_is_an_exception_of_what_is_granted_above(
    grant: str, refused: tuple[InputElement, ...], tree: str
) -> None:
    assert _conditions(prose(grant, "e0"), *refused)["e0"] == tree


def test_a_refusal_of_another_section_bounds_nothing_here() -> None:
    grant = InputElement("e0", "p", "You can get a licence if you own a boat.", ("Residents",))
    assert _conditions(grant, *_REFUSED)["e0"] == "you own a boat"


@pytest.mark.parametrize(
    ("granted", "refused", "same"),
    [
        ("You can have a permit", "We won’t give a permit for:", True),
        ("You can apply", "You cannot apply if:", True),
        ("You can claim relief on gifts from individuals", "You cannot claim on gifts:", True),
        ("You can apply for a grant", "You cannot apply for a licence if:", False),
        ("You can trade in the market", "You cannot sell:", False),
    ],
)
def test_outcomes_are_told_by_their_nouns(granted: str, refused: str, same: bool) -> None:
    assert same_outcome(granted, refused) is same
