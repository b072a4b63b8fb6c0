"""A folder of many formats, run after run: what is stored, what is read again, and what is told of the rest."""

from pathlib import Path

import pytest

from clausegraph.core.models.embedding import HashingEmbedder
from clausegraph.indexes.ledger.store import Ledger, open_ledger
from clausegraph.ingestion.extract.rules.extractor import RuleExtractor
from clausegraph.ingestion.formats import formats
from clausegraph.ingestion.pipeline import ingest
from clausegraph.ingestion.report import RunReport
from clausegraph.ingestion.sources import open_source
from clausegraph.ingestion.tools import Options, Tools
from tests.ingestion.formats.leaflets import RULE, Leaflet, leaflet

pytestmark = pytest.mark.integration

TEXTS = {
    "a.html": b"<title>T</title><h1>T</h1><p>You can get the grant if you are over 65.</p>",
    "b.md": b"# Fees\n\nYou must pay if you rent.\n",
    "c.txt": b"Times\n\nYou can ask until noon.\n",
}


def mirrored(ledger: Ledger, location: Path, source: str = "pages") -> RunReport:
    tools = Tools(ledger, HashingEmbedder(16), RuleExtractor())
    return ingest(tools, "c", open_source(str(location), source), Options())


def test_only_files_of_a_changed_format_are_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    for name, raw in TEXTS.items():
        (folder / name).write_bytes(raw)
    (folder / "d.pdf").write_bytes(leaflet(RULE).raw())
    empty = Leaflet()
    empty.add_page()
    (folder / "e.pdf").write_bytes(empty.raw())
    (folder / "f.xlsx").write_bytes(b"PK")
    with open_ledger(tmp_path / "home") as ledger:
        first = mirrored(ledger, folder)
        assert first.pages_added == ["a.html", "b.md", "c.txt", "d.pdf"]
        assert [(reject.what, reject.reason) for reject in first.rejects] == [("e.pdf", "the PDF has no text")]
        assert first.skipped == {".xlsx": 1} and first.pages_kept == []
        again = mirrored(ledger, folder)
        assert (again.pages_unchanged, again.pages_changed, again.epoch) == (4, [], None)
        kept = formats._library_version
        monkeypatch.setattr(formats, "_library_version", lambda name: "99" if name == "markdown-it-py" else kept(name))
        later = mirrored(ledger, folder)
        assert later.pages_changed == ["b.md"] and later.pages_why["b.md"] == "other reader"
        assert later.texts_embedded == later.chunks_extracted == 0


def test_one_file_is_a_source_and_what_replaces_it_may_be_broken(tmp_path: Path) -> None:
    path = tmp_path / "policy.pdf"
    path.write_bytes(leaflet(RULE).raw())
    with open_ledger(tmp_path / "home") as ledger:
        assert mirrored(ledger, path).pages_added == ["policy.pdf"]
        path.write_bytes(b"%PDF-1.7 and no more")
        broken = mirrored(ledger, path)
        assert broken.pages_kept == ["policy.pdf"] and broken.pages_removed == []
        assert broken.rejects[0].reason.startswith("a damaged PDF")
