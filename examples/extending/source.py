"""A source: pages in a zip archive. One class, and one line in ``SOURCE_KINDS``."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from clausegraph import Reject, open_corpus
from clausegraph.core.pages.read import HTML, SourceDocument
from clausegraph.ingestion.sources.detect import SOURCE_KINDS, SourceKind


class ZipSource:
    """The HTML files of an archive, in the order of their paths inside, which are their uris."""

    kind = "zip"

    def __init__(self, location: str, name: str | None) -> None:
        self.location = str(Path(location).absolute())
        self.name = name or Path(location).stem

    def documents(self) -> Iterator[SourceDocument | Reject]:
        with zipfile.ZipFile(self.location) as archive:
            for uri in sorted(name for name in archive.namelist() if name.endswith(".html")):
                encrypted = archive.getinfo(uri).flag_bits & 1  # then the corpus keeps the page as it was
                yield Reject(uri, "it is encrypted") if encrypted else SourceDocument(uri, archive.read(uri), HTML)


SOURCE_KINDS.insert(0, SourceKind(lambda at: at.endswith(".zip") and zipfile.is_zipfile(at), ZipSource, "a zip file"))

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "rates.zip"
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("rent.html", "<h1>Rent help</h1><p>You can get £50 a week if you rent from the council.</p>")
    with open_corpus("zipped", home=folder) as corpus:
        report = corpus.ingest(path)
        print(report.pages_added, corpus.ask("How much is rent help?").alternatives[0].text)
