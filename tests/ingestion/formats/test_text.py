"""Plain text: what blank lines, bullets, capitals and underlines mean."""

from pathlib import Path

import pytest

from tests.ingestion.formats.reading import elements, read

POLICY = Path(__file__).with_name("leave.txt").read_text("utf-8")


def test_a_text_has_headings_paragraphs_and_items() -> None:
    assert elements("leave.txt", POLICY.encode("cp1252")) == [
        ("h1", "Leave policy"),
        ("h2", "SICK LEAVE"),
        ("p", "You can take sick leave when you are ill for more than three days. You must tell your manager."),
        ("p", "You need:"),
        ("li", "a doctor's note"),
        ("li", "a form, which you get from HR"),
        ("li", "Scope"),
        ("p", "This applies to all."),
        ("h2", "Annual leave"),
        ("li", "20 days"),
        ("li", "25 days after five years"),
        ("p", "HR 12 High Street London"),
    ]


def test_numbered_headings_and_numbered_items() -> None:
    text = "Rules\n\n1. Scope\n\nAll staff.\n\n2. Duties\n\nThey are two.\n\n1. to ask\n\n2. to say\n"
    assert elements("rules.txt", text.encode()) == [
        ("h1", "Rules"), ("h2", "1. Scope"), ("p", "All staff."), ("h2", "2. Duties"), ("p", "They are two."),
        ("li", "to ask"), ("li", "to say"),
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["You can get it.", "<b>not</b> markup & so", "* one", "=====", "a\fb", "1. Scope"])
def test_text_is_text(text: str) -> None:
    reading, reasons = read("a.txt", text.encode("utf-16"))
    assert "".join(element.text for element in reading.elements) or reasons == ["the document has no text"]
    if "<b>" in text:
        assert [element.text for element in reading.elements] == [text]


def test_the_title_is_the_heading_or_the_files_name() -> None:
    assert read("x/leave.txt", POLICY.encode())[0].title == "Leave policy"
    assert read("x/leave.2024.txt", b"You can get it.")[0].title == "leave.2024"
    assert read("x.txt", b"Rules\n\nLast updated: 5 March 2024\n\nWords.")[0].updated == "2024-03-05"


def test_a_mark_within_a_sentence_begins_no_item() -> None:
    lines = [
        "You must ask the council before you let the flat, as is set out in section",
        "12. A tenant who does not ask may be told to leave, and has to pay what is",
        "due by law.",
        "1. Ask.",
    ]
    assert elements("a.txt", "\n".join(lines).encode()) == [("p", " ".join(lines[:3])), ("li", "Ask.")]
