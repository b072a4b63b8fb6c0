"""Items that hold a list of their own: what the item states, and how its list joins it."""

from __future__ import annotations

import pytest

from clausegraph.core.extraction import InputElement
from clausegraph.ingestion.extract.rules.extractor import RuleExtractor
from tests.ingestion.rules.trees import item, prose, source, written

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "nested", "tree"),
    [
        (
            "your rent is not above the local rate after water charges and:",
            ["a tenth of your savings", "the cost of a lodger"],
            "your rent is not above the local rate after water charges",
        ),
        (
            "you had to move out and:",
            ["the council told you to", "you left within a week"],
            "all[you had to move out; the council told you to; you left within a week]",
        ),
        (
            "you had to move out and either:",
            ["the council told you to", "the roof fell in"],
            "all[you had to move out; any[the council told you to; the roof fell in]]",
        ),
        (
            "your boat is over 10 metres and is:",
            ["used for hire, or", "moored in the harbour"],
            "all[your boat is over 10 metres; any[used for hire; moored in the harbour]]",
        ),
        (
            "you own a boat, and none of these:",
            ["a jetty", "a mooring"],
            "all[you own a boat; not(any[a jetty; a mooring])]",
        ),
        (
            "you rent your home, if:",
            ["it has two rooms, and", "it is damp"],
            "all[you rent your home; it has two rooms; it is damp]",
        ),
        (
            "you have been out of work, unless:",
            ["you were in prison", "you were ill"],
            "all[you have been out of work; not(any[you were in prison; you were ill])]",
        ),
        ("you hold one of these:", ["a lease", "a deed"], "any[a lease; a deed]"),
    ],
)
def test_an_item_is_a_leaf_with_its_own_list_under_it(text: str, nested: list[str], tree: str) -> None:
    lead = prose("You can get a Heating Grant if all of these apply:")
    first = item("you are 60 or over", "e1", "e0")
    opens = item(text, "e2", "e0")
    below = [
        InputElement(f"e{place}", "li", said, lead_in=None, parent="e2") for place, said in enumerate(nested, start=3)
    ]
    found = RuleExtractor().extract(source(lead, first, opens, *below))
    (condition,) = (one.condition for one in (*found.statements, *found.passages) if one.spans[0].anchor == "e0")
    joined = tree[4:-1] if tree.startswith("all[") else tree
    assert written(condition) == f"all[you are 60 or over; {joined}]"


def test_what_rests_on_a_nested_list_cites_it() -> None:
    lead = prose("You can get a Heating Grant if all of these apply:")
    items = [
        item("you are 60 or over", "e1", "e0"),
        item("your income is low after rent and:", "e2", "e0"),
        InputElement("e3", "li", "the cost of care", lead_in=None, parent="e2"),
    ]
    found = RuleExtractor().extract(source(lead, *items))
    cited = {span.anchor for one in (*found.statements, *found.passages) if one.condition for span in one.spans}
    assert cited == {"e0", "e1", "e2", "e3"}
