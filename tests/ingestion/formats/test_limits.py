"""Files of other formats are read in the process with limits, however small: what breaks a library ends that alone."""

import zlib
from pathlib import Path

import pytest

from clausegraph.core.pages.read import SourceDocument
from clausegraph.ingestion.changes import pipeline_of
from clausegraph.ingestion.formats import formats
from clausegraph.ingestion.formats.formats import DOCX, FORMATS, PDF, conversion_fingerprint
from clausegraph.ingestion.reading.page import ReadingLimits, read_page
from clausegraph.ingestion.reading.process import page_reading
from tests.ingestion.formats.leaflets import RULE, leaflet
from tests.ingestion.formats.test_docx import archive

HOLLOW = '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"/>'


def pdf(stream: bytes) -> bytes:
    """A PDF of one page with this content stream, compressed."""
    packed = zlib.compress(zlib.compress(stream, 9), 9)
    objects = (
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R>>",
        b"<</Filter[/FlateDecode/FlateDecode]/Length %d>>\nstream\n%s\nendstream" % (len(packed), packed),
    )
    body = b"".join(b"%d 0 obj\n%s\nendobj\n" % (i, one) for i, one in enumerate(objects, 1))
    return b"%PDF-1.7\n" + body + b"trailer\n<</Root 1 0 R/Size 5>>\nstartxref\n0\n%%EOF\n"


@pytest.mark.integration
def test_bombs_and_broken_files_are_rejects_and_the_next_file_is_read() -> None:
    good = SourceDocument("good.pdf", leaflet(RULE).raw(), PDF)
    expected = read_page(good)
    bombs = {
        "memory": (pdf(b"\0" * 160_000_000), "more than 150 MB of memory"),
        "time": (pdf(b"q 0 0 9 9 re " * 1_000_000), "more than 1.2 s of processor time"),
    }
    assert all(len(raw) < 20_000 for raw, _ in bombs.values())
    with page_reading(ReadingLimits(seconds=0.1, megabytes=150)) as read:
        for name, (raw, reason) in bombs.items():
            reading, (reject,) = read(SourceDocument(f"{name}.pdf", raw, PDF))
            assert reading.elements == () and reason in reject.reason, reject
        broken = archive({"word/document.xml": HOLLOW})
        reading, (reject,) = read(SourceDocument("hollow.docx", broken, DOCX))
        assert reading.elements == () and reject.reason.startswith("the process that read it ended (exit code 1)")
        assert read(good) == expected


def test_a_reading_names_its_format_and_the_versions_of_its_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    assert pipeline_of("text/html") == pipeline_of("application/x-conditionalqa+json")
    kinds = [*FORMATS, "text/html"]
    before = {kind: pipeline_of(kind) for kind in kinds}
    assert len(set(before.values())) == len(kinds)
    monkeypatch.setattr(formats, "_library_version", lambda name: "99" if name == "mammoth" else name)
    changed = conversion_fingerprint(DOCX)
    assert changed and changed not in before[DOCX]
    assert pipeline_of("text/html") == before["text/html"]


def test_every_format_is_named_in_the_documentation() -> None:
    page = (Path(__file__).parents[3] / "docs" / "formats.md").read_text(encoding="utf-8")
    for one in FORMATS.values():
        assert f"`{' '.join(one.endings)}`" in page
        assert all(library.split(".")[0] in page for library in one.libraries)
