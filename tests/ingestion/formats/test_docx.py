"""Word documents: styles, lists, tables, notes, changes; and archives that are none."""

import io
from collections.abc import Callable
from datetime import datetime
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import docx
import pytest
from docx.document import Document
from docx.oxml import parse_xml

from clausegraph.ingestion.formats.docx import convert_docx
from clausegraph.ingestion.formats.formats import Unreadable
from tests.ingestion.formats.reading import elements, read

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
DOCUMENT = f"<w:document {W}><w:body><w:p><w:r><w:t>%s</w:t></w:r></w:p></w:body></w:document>"

ENTITIES = (
    f'<!DOCTYPE w [<!ENTITY a "{"x" * 90_000}"><!ENTITY b "{"&a;" * 1000}"><!ENTITY c "{"&b;" * 1000}">]>'
    + DOCUMENT % "&c;"
)


def written(write: Callable[[Document], Any]) -> bytes:
    document = docx.Document()
    write(document)
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def archive(parts: dict[str, str]) -> bytes:
    file = io.BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED) as made:
        for name, text in parts.items():
            made.writestr(name, text)
    return file.getvalue()


def guide(document: Document) -> None:
    document.core_properties.title = "Document1"
    document.core_properties.modified = datetime(2024, 3, 5)
    document.add_heading("Carer's grant", 0)
    document.add_heading("Who can get it", 1)
    document.add_paragraph("You can get it if:")
    document.add_paragraph("you care", style="List Bullet")
    document.add_paragraph("for a child", style="List Bullet 2")
    document.add_paragraph("you rent", style="List Bullet")
    document.add_heading("Rates", 2)
    table = document.add_table(3, 2)
    for row, texts in zip(table.rows, [("Age", "Amount"), ("16", "£20"), ("18", "£30")], strict=True):
        for cell, text in zip(row.cells, texts, strict=True):
            cell.text = text
    table.cell(2, 1).add_paragraph("a week")


def test_a_document_is_read_by_its_styles() -> None:
    reading, reasons = read("grant.docx", written(guide))
    assert (reading.title, reading.updated, reasons) == ("Carer's grant", "2024-03-05", [])
    assert [(e.tag, e.text) for e in reading.elements] == [
        ("h1", "Carer's grant"), ("h1", "Who can get it"), ("p", "You can get it if:"), ("li", "you care"),
        ("li", "for a child"), ("li", "you rent"), ("h2", "Rates"), ("tr", "Age | Amount"), ("tr", "16 | £20"),
        ("tr", "18 | £30 a week"),
    ]  # fmt: skip
    by_text = {element.text: element for element in reading.elements}
    assert by_text["for a child"].parent == by_text["you care"].anchor
    assert by_text["you rent"].lead_in == by_text["You can get it if:"].anchor
    assert by_text["16 | £20"].headers == ("Age", "Amount")


def test_changes_are_accepted_and_comments_and_images_left_out() -> None:
    def changed(document: Document) -> None:
        paragraph = document.add_paragraph("You must pay ")
        for xml in (
            f'<w:del {W} w:id="1" w:author="a"><w:r><w:delText>£10</w:delText></w:r></w:del>',
            f'<w:ins {W} w:id="2" w:author="a"><w:r><w:t>£12</w:t></w:r></w:ins>',
            f"<w:r {W}><w:rPr><w:vanish/></w:rPr><w:t/></w:r>",
        ):
            paragraph._p.append(parse_xml(xml))
        run = paragraph.add_run(" now.")
        document.add_comment([run], text="Really?", author="b", initials="b")
        document.add_paragraph().add_run().add_picture(io.BytesIO(PIXEL))

    assert elements("a.docx", written(changed)) == [("p", "You must pay £12 now.")]


def test_notes_stand_under_a_heading_of_their_own() -> None:
    rels = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    body = '<w:r><w:t>Ask first.</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r>'
    note = (
        f'<w:footnotes {W}><w:footnote w:id="2"><w:p><w:r><w:t>In writing.</w:t></w:r></w:p></w:footnote></w:footnotes>'
    )
    raw = archive(
        {
            "word/document.xml": f"<w:document {W}><w:body><w:p>{body}</w:p></w:body></w:document>",
            "word/footnotes.xml": note,
            "word/_rels/document.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/'
            f'relationships"><Relationship Id="r1" Type="{rels}/footnotes" Target="footnotes.xml"/></Relationships>',
        }
    )
    (text, heading, item) = read("a.docx", raw)[0].elements
    assert text.text.startswith("Ask first.") and heading.text == "Notes"
    assert (item.tag, item.text, item.headings) == ("li", "In writing.", ("Notes",))


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: archive({"word/document.xml": "<w:document"}), "damaged"),
        (lambda: archive({"word/document.xml": DOCUMENT % "x"})[:-30], "damaged"),
        (lambda: archive({"word/document.xml": "x" * 101_000_000}), "unpacked it has 1 parts and 101 MB"),
        (lambda: archive({f"word/document{i}.xml": "" for i in range(10_001)}), "10001 parts"),
        (lambda: archive({"word/document.xml": ENTITIES}), "damaged"),
        (lambda: archive({"word/document.xml": f"<w:document {W}><w:body>" + "<w:p>" * 5000}), "damaged"),
        (lambda: archive({"word/document.xml": DOCUMENT % ("<w:p>" * 5000 + "</w:p>" * 5000)}), "nested too deeply"),
    ],
    ids=["markup", "archive", "size", "parts", "entities", "open", "depth"],
)
def test_what_is_no_document_is_a_reject(make: Callable[[], bytes], reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        convert_docx(make())


def test_nothing_outside_is_opened(tmp_path: Any) -> None:
    """An external entity and a linked picture: neither their text nor an error of opening them turns up."""
    secret = tmp_path / "secret.txt"
    secret.write_text("hush")
    entity = f'<!DOCTYPE w [<!ENTITY a SYSTEM "file://{secret}">]>' + DOCUMENT % "Words &a;"
    assert "hush" not in str(read("a.docx", archive({"word/document.xml": entity})))
    drawing = (
        '<w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing">'
        '<wp:docPr id="1" name="p" descr="A map"/><a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/'
        'main"><a:graphicData><pic:pic xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:blipFill>'
        '<a:blip xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:link="r9"/>'
        "</pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing>"
    )
    rels = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r9" '
        f'Type="image" TargetMode="External" Target="file://{secret}"/></Relationships>'
    )
    body = f"<w:document {W}><w:body><w:p><w:r><w:t>Words</w:t>{drawing}</w:r></w:p></w:body></w:document>"
    converted = convert_docx(archive({"word/document.xml": body, "word/_rels/document.xml.rels": rels}))
    assert 'alt="A map"' in converted.html and "src" not in converted.html


PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360606060000000050001"
    "a5f645400000000049454e44ae426082"
)
