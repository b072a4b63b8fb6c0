"""The LlamaIndex reader, with LlamaIndex's own SimpleDirectoryReader."""

from __future__ import annotations

from pathlib import Path

import pytest
from llama_index.core import SimpleDirectoryReader

from clausegraph.core.errors import SourceError
from clausegraph.ingestion.readers import PolicyHTMLReader

pytestmark = pytest.mark.unit

CORPUS = Path(__file__).parents[3] / "examples" / "corpus"


def test_simple_directory_reader_gives_a_document_per_section() -> None:
    files = [str(CORPUS / "vehicle-tax.html")]
    documents = SimpleDirectoryReader(input_files=files, file_extractor={".html": PolicyHTMLReader()}).load_data()
    assert len(documents) == 6
    fines = documents[-1]
    assert fines.metadata["title"] == "Vehicle tax"
    assert fines.metadata["headings"] == "Vehicle tax > Fines"
    assert fines.metadata["url"] == "https://www.ors-lethmoor.example/vehicle-tax"
    assert fines.metadata["file_name"] == "vehicle-tax.html"
    assert len(fines.metadata["anchors"].split()) == 4
    assert fines.text.startswith("Fines\nYou will get an automatic fine of £80")
    assert not any("Back to top" in document.text for document in documents)


@pytest.mark.parametrize(("raw", "reason"), [(b"%PDF-1.4", "PDF"), (b"<p> </p>", "no text")])
def test_unusable_pages_are_refused(tmp_path: Path, raw: bytes, reason: str) -> None:
    (tmp_path / "x.html").write_bytes(raw)
    with pytest.raises(SourceError, match=reason):
        PolicyHTMLReader().load_data(tmp_path / "x.html")
    with pytest.raises(SourceError, match="cannot be read"):
        PolicyHTMLReader().load_data(tmp_path / "gone.html")
