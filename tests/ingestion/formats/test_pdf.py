"""PDF: what size, weight, place and rules mean; and files that have no text to read."""

import io
from datetime import UTC, datetime

import pytest
from fpdf.enums import AccessPermission
from PIL import Image

from clausegraph.ingestion.formats.pdf.layout import joined, vocabulary
from tests.ingestion.formats.leaflets import RULE, VISITS, Leaflet, leaflet
from tests.ingestion.formats.reading import elements, read


def test_sizes_bullets_and_gaps_make_headings_items_and_paragraphs() -> None:
    made = Leaflet("Parking: a guide", "Page {page} of 2")
    made.add_page()
    made.say("Parking permits", 20, "B")
    made.say("Who can get one", 14, "B")
    made.say(RULE)
    made.say("You need:")
    made.item("•", "a car that is registered to you at an address in the zone, and no other permit for the same car")
    made.item("–", "which must be taxed", indent=10)
    made.item("•", "a form")
    made.ln(3)
    made.say(VISITS)
    made.add_page()
    made.say("Fees", 14, "B")
    made.say("They rise each year.")
    reading, reasons = read("permits.pdf", made.raw())
    assert (reading.title, reasons) == ("Parking permits", [])
    assert [(e.tag, e.text, e.page_number) for e in reading.elements] == [
        ("h1", "Parking permits", 1),
        ("h2", "Who can get one", 1),
        ("p", RULE, 1),
        ("p", "You need:", 1),
        ("li", "a car that is registered to you at an address in the zone, and no other permit for the same car", 1),
        ("li", "which must be taxed", 1),
        ("li", "a form", 1),
        ("p", VISITS, 1),
        ("h2", "Fees", 2),
        ("p", "They rise each year.", 2),
    ]
    by_text = {element.text: element for element in reading.elements}
    assert by_text["which must be taxed"].parent == reading.elements[4].anchor
    assert by_text["a form"].lead_in == by_text["You need:"].anchor
    assert by_text["They rise each year."].headings == ("Parking permits", "Fees")
    assert all("page" not in element.html.partition(">")[0] for element in reading.elements)


def test_bold_lines_head_a_text_of_one_size_and_a_bold_word_does_not() -> None:
    made = leaflet()
    made.say("Scope", style="B")
    made.say(RULE)
    made.write(5, "You must pay within ")
    made.set_font("D", "B", 10)
    made.write(5, "14 days")
    made.set_font("D", "", 10)
    made.write(5, " of the notice, see note")
    made.set_font("D", "", 6)
    made.write(3, "3")
    assert elements("a.pdf", made.raw()) == [
        ("h2", "Scope"), ("p", RULE), ("p", "You must pay within 14 days of the notice, see note[3]")
    ]  # fmt: skip


def test_columns_are_read_one_after_the_other() -> None:
    made = Leaflet()
    made.add_page()
    made.say("Parking in the inner zones of the city, and outside them at night", 16, "B")
    made.set_font("D", "", 9)
    with made.text_columns(ncols=2, gutter=8, text_align="J") as columns:
        for text in (RULE, VISITS) * 5:
            columns.write(text + "\n\n")
    found = elements("a.pdf", made.raw())
    assert found[0] == ("h1", "Parking in the inner zones of the city, and outside them at night")
    assert found[1:] == [("p", text) for text in (RULE, VISITS) * 5]


def test_the_lines_of_columns_may_stand_at_other_heights() -> None:
    made = Leaflet(foot="Page {page} of 1")
    made.add_page()
    for left, top in ((10, 30), (108, 32.5)):  # lines are five millimetres apart
        made.set_xy(left, top)
        for text in (RULE, VISITS) * 2:
            made.multi_cell(90, 5, text, align="J", new_x="LEFT", new_y="NEXT")
            made.set_y(made.get_y() + 5)
            made.set_x(left)
    assert elements("a.pdf", made.raw()) == [("p", text) for text in (RULE, VISITS) * 4]


def test_ruled_tables_span_cells_and_go_on_over_pages() -> None:
    made = leaflet("Rates:")
    with made.table(text_align="LEFT") as table:
        cars = [(f"Car of class {n}", f"£{n}") for n in range(40)]
        for texts in [("Vehicle", "Zone A"), *cars, ("All others, as set out above",)]:
            row = table.row()
            for text in texts:
                row.cell(text, colspan=3 - len(texts) if len(texts) < 2 else 1)
    made.say("And so on.")
    reading, _ = read("rates.pdf", made.raw())
    rows = [element for element in reading.elements if element.tag == "tr"]
    assert [row.text for row in rows] == [
        "Vehicle | Zone A", *(f"Car of class {n} | £{n}" for n in range(40)), "All others, as set out above"
    ]  # fmt: skip
    assert rows[39].page_number == 2 and rows[39].headers == ("Vehicle", "Zone A")
    assert [element.text for element in reading.elements if element.tag == "p"] == ["Rates:", "And so on."]


def test_aligned_words_are_a_table_and_numbered_items_are_none() -> None:
    made = leaflet("Rates and steps:")
    for texts in [("Vehicle", "Zone A", "Zone B"), ("Motor cycle", "£20", "£15"), ("Car up to 100 g/km", "£60", "£45")]:
        for text in texts:
            made.cell(50, 6, text)
        made.ln()
    made.ln(4)
    for number in ("a)", "b)", "c)"):
        made.item(number, "you must apply to the council in writing, and give the number of the car and its address")
    reading, _ = read("rates.pdf", made.raw())
    tags = [element.tag for element in reading.elements]
    assert tags == ["p", "tr", "tr", "tr", "li", "li", "li"]
    assert reading.elements[2].text == "Motor cycle | £20 | £15"
    assert reading.elements[2].headers == ("Vehicle", "Zone A", "Zone B")


OPENINGS = (
    "Renewal ............ 120",
    "You can ask.",
    "They must answer.",
    "It is free.",
    "All may look.",
    "No one needs to pay.",
)


def test_running_heads_page_numbers_and_contents_are_left_out() -> None:
    made = Leaflet("Chapter on rule {page}", "– {page} –")
    for number in range(6):
        made.add_page()
        made.say(f"Rule {number}", 14, "B")
        for line in (f"{name}{' .' * 30} {page}" for page, name in enumerate(("Start", "Middle", "End"), 3)):
            made.say(line if number == 0 else "", 9)
        made.say(OPENINGS[number])
        made.set_y(120)
        made.say(f"Halfway down page {number}.")
    found = elements("rules.pdf", made.raw())
    assert [text for _, text in found if text] == [
        text
        for number in range(6)
        for text in (f"Rule {number}", OPENINGS[number], f"Halfway down page {number}.")
        if text
    ]


def test_a_paragraph_goes_on_over_the_page_and_hyphens_are_mended() -> None:
    made = leaflet()
    made.say(RULE, width=70)
    made.set_y(262)
    text = RULE.replace("registered", "reg\u00adistered") + " " + VISITS
    made.set_auto_page_break(True, 22)
    made.say(text, width=70)
    found = read("a.pdf", made.raw())[0].elements
    assert [element.text for element in found] == [RULE, f"{RULE} {VISITS}"]
    assert [element.page_number for element in found] == [1, 1]


def test_what_begins_pages_is_no_running_head() -> None:
    steps = ["1. Fill in the form that came with the letter.", "2. Send it to us.", "3. Wait for us."]
    made = Leaflet()
    for number, step in enumerate(steps, 1):
        made.add_page()
        made.say(f"Step {number}", style="B")
        made.say(step)
        made.set_y(120)
        made.say(RULE)
    texts = [text for _, text in elements("a.pdf", made.raw())]
    assert [text for text in texts if text != RULE] == [
        "Step 1", "Fill in the form that came with the letter.", "Step 2", "Send it to us.", "Step 3", "Wait for us."
    ]  # fmt: skip


def test_stamped_scans_and_words_set_sideways_are_told() -> None:
    made = scanned(leaflet(RULE))
    made.set_y(280)
    made.set_auto_page_break(False)
    made.cell(0, 5, "Page 2 of 2")
    made.add_page()
    made.say(VISITS)
    with made.rotation(90, 50, 200):
        made.text(50, 200, "Draft only")
    reading, reasons = read("a.pdf", made.raw())
    assert [element.text for element in reading.elements] == [RULE, VISITS]
    assert reasons == [
        "page 2 is a scan without text: recognise it first (OCR)",
        "words set sideways were not read: page 3",
    ]


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (["the policy-", "holder pays"], "the policyholder pays"),
        (["a self-", "employed person"], "a self-employed person"),
        (["a well-", "known rule"], "a well-known rule"),
        (["the co\u00ad", "operation"], "the cooperation"),
        (["the Anglo-", "French rule"], "the Anglo-French rule"),
        (["pages 3-", "4 of it"], "pages 3-4 of it"),
        (["this –", "and that -", "too"], "this – and that - too"),
    ],
)
def test_broken_words(lines: list[str], text: str) -> None:
    words = vocabulary(["The policyholder is self-employed, well and known."])
    assert joined(lines, words) == text


def test_dates_and_titles_of_the_properties() -> None:
    made = leaflet("You can get it.")
    made.set_title("Microsoft Word - Leave policy")
    made.set_creation_date(datetime(2024, 3, 5, tzinfo=UTC))
    reading, _ = read("a.pdf", made.raw())
    assert (reading.title, reading.updated) == ("Leave policy", "2024-03-05")
    titled = leaflet("Leave", "policy for all")
    titled.set_title("Leave Policy")
    titled.say("Not this", 20, "B")
    assert read("a.pdf", titled.raw())[0].title == "Leave Policy"
    other = leaflet("You can get it.")
    other.set_title("leave final2.docx")
    assert read("x/leave.pdf", other.raw())[0].title == "leave"


def scanned(made: Leaflet) -> Leaflet:
    made.add_page()
    made.image(Image.new("L", (60, 80), 200), 0, 0, 210)
    return made


def test_what_has_no_text_is_a_reject_with_its_reason() -> None:
    locked = leaflet(RULE)
    locked.set_encryption(owner_password="a", user_password="b", permissions=AccessPermission.none())
    opened = leaflet(RULE)
    opened.set_encryption(owner_password="a")
    assert elements("a.pdf", opened.raw()) == [("p", RULE)]
    half = scanned(scanned(leaflet(RULE)))
    bare = Leaflet()
    bare.add_page()
    scan = Image.new("L", (60, 80), 200)
    only = io.BytesIO()
    scan.save(only, "PDF")
    for raw, reason in (
        (locked.raw(), "an encrypted PDF"),
        (only.getvalue(), "a scan: none of its 1 pages has a text layer"),
        (bare.raw(), "the PDF has no text"),
        (b"%PDF-1.7\nnothing", "a damaged PDF"),
        (leaflet(RULE).raw()[:400], "a damaged PDF"),
    ):
        reading, (said,) = read("a.pdf", raw)
        assert reading.elements == () and said.startswith(reason), said
    reading, said_of_half = read("a.pdf", half.raw())
    assert [element.text for element in reading.elements] == [RULE]
    assert said_of_half == ["pages 2-3 are a scan without text: recognise it first (OCR)"]
