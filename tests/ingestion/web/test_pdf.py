"""PDFs that a site links to, where that is asked for."""

import pytest

from tests.ingestion.web.town import Town, fee

pytestmark = pytest.mark.integration


def pdf(*texts: str) -> bytes:
    from fpdf import FPDF

    made = FPDF()
    made.add_page()
    made.set_font("Helvetica", size=12)
    for text in texts:
        made.multi_cell(0, 8, text)
        made.ln(4)
    return bytes(made.output())


def test_linked_pdfs(town: Town) -> None:
    town.page("/", "Permits", fee("town", 11), links=("/fees.pdf", "/page"))
    town.page("/page", "Page", fee("page", 12))
    town.site.page(
        "/fees.pdf", pdf("You must pay 77 EUR for a boat permit.", fee("boat", 77)), content_type="application/pdf"
    )
    report = town.run()
    assert report.skipped == {".pdf": 1} and town.uris() == ["/", "/page"]
    town.run(pdf=True)
    assert town.uris() == ["/", "/fees.pdf", "/page"]
    assert "77 EUR for a boat permit" in town.text("/fees.pdf")
    assert town.run(pdf=True).epoch is None
    assert town.paths(town.run().pages_removed) == ["/fees.pdf"]  # asked for no longer


def test_a_pdf_that_says_it_is_a_page_is_told(town: Town) -> None:
    town.page("/", "Permits", fee("town", 11), links=("/fees",))
    town.site.page("/fees", pdf("You must pay 77 EUR."))
    [reject] = town.run().rejects
    assert (town.path(reject.what), reject.reason) == ("/fees", "not HTML: the content is PDF")
