"""Markdown: the same elements as the HTML it means, and what its front matter says."""

from pathlib import Path

import pytest

from tests.ingestion.formats.reading import elements, read

PERMITS = Path(__file__).with_name("permits.md").read_text("utf-8")


def test_markdown_is_read_as_the_html_it_means() -> None:
    reading, reasons = read("permits.md", PERMITS.encode())
    assert reasons == []
    assert [(e.tag, e.text) for e in reading.elements if e.text != "More"] == [
        ("h1", "Resident parking"),
        ("p", "You can get a permit if:"),
        ("li", "you live in the zone"),
        ("li", "you own a car"),
        ("li", "registered to you"),
        ("tr", "Zone | Price"),
        ("tr", "A | £20"),
        ("h2", "Visitors"),
        ("p", "Not now, soon."),
        ("p", "Fees rise."),
    ]
    by_text = {element.text: element for element in reading.elements}
    assert by_text["A | £20"].headers == ("Zone", "Price")
    assert by_text["registered to you"].parent == by_text["you own a car"].anchor
    assert by_text["you live in the zone"].lead_in == by_text["You can get a permit if:"].anchor
    assert by_text["you live in the zone"].links[0].href == "https://x.example/zone"


@pytest.mark.parametrize(
    ("front", "title", "updated", "url"),
    [
        ("---\ntitle: Parking\ndate: 2024-03-05\n---\n", "Parking", "2024-03-05", None),
        ("---\ntitle: 'A: b'\ndate: 2020-01-01\nlastmod: 5 March 2024\n---\n", "A: b", "2024-03-05", None),
        ('+++\ntitle = "P"\ndate = 2024-03-05T10:00:00Z\n+++\n', "P", "2024-03-05", None),
        ("---\r\nTitle: P\r\ncanonical: https://x.example/p\r\n---\r\n", "P", None, "https://x.example/p"),
        ("---\ntitle: [a, b]\nurl: javascript:alert(1)\n---\n", "Own", None, None),
        ("---\na: &a [x]\ntitle: &b [*a, *a]\n---\n", "Own", None, None),
    ],
)
def test_front_matter(front: str, title: str, updated: str | None, url: str | None) -> None:
    reading, reasons = read("a.md", (front + "# Own\n\nWords.").encode())
    assert (reading.title, reading.updated, reading.url, reasons) == (title, updated, url, [])
    assert [element.text for element in reading.elements] == ["Own", "Words."]


def test_broken_front_matter_is_told_and_a_rule_is_none() -> None:
    reading, (reason,) = read("a.md", b"---\ntitle: [a\n---\nWords.")
    assert [element.text for element in reading.elements] == ["Words."]
    assert reason.startswith("its front matter was left out: no YAML")
    assert elements("a.md", b"---\n\nWords.\n\n---\n\nMore.") == [("p", "Words."), ("p", "More.")]


def test_notes_and_definitions() -> None:
    text = b"Ask first[^a].\n\nPermit\n: A right to park.\n\n[^a]: In writing, please.\n"
    reading, reasons = read("a.md", text)
    (asked, term, meaning, heading, note) = reading.elements
    assert reasons == [] and asked.text == "Ask first[1]."
    assert (term.text, meaning.text, meaning.lead_in) == ("Permit", "A right to park.", term.anchor)
    assert (heading.text, note.tag, note.text) == ("Notes", "li", "In writing, please.")


def test_deep_lists_are_read_and_notes_without_a_reference_are_told() -> None:
    deep = "".join(f"{'  ' * depth}- level {depth}\n" for depth in range(15))
    reading, reasons = read("a.md", f"{deep}\n[^2]: Does not hold for students.\n".encode())
    assert [element.text for element in reading.elements] == [f"level {depth}" for depth in range(15)]
    assert reasons == ["a footnote that nothing refers to: 2"]
