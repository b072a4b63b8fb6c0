"""ClauseGraph's reader for LlamaIndex pipelines: policy pages as one ``Document`` per section."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from llama_index.core.readers.base import BaseReader
from llama_index.core.schema import Document

from clausegraph.core.errors import SourceError
from clausegraph.core.pages.document import MAX_PAGE_BYTES, SourceDocument
from clausegraph.core.types import Element
from clausegraph.ingestion.formats.recognise import why_not_html
from clausegraph.ingestion.reading.limits import ReadingLimits
from clausegraph.ingestion.reading.pages import page_reading


class PolicyHTMLReader(BaseReader):
    """Reads the main text of an HTML page, a document for each section that starts at an h1 or h2.

    Use it as ``SimpleDirectoryReader(folder, file_extractor={".html": PolicyHTMLReader()})``. Metadata of a document:
    ``title``, ``headings`` (path joined by " > "), ``anchors`` (joined by spaces, so that flat metadata stores take
    them), ``url`` and ``updated`` (empty where the page states none).
    """

    def load_data(self, file: Path | str, extra_info: dict[str, Any] | None = None, **_: Any) -> list[Document]:
        """Read one file; ``extra_info`` is added to the metadata of its documents.

        Raises:
            SourceError: the file cannot be read, is no HTML page, has no main text, or takes too much to read.
        """
        path = Path(file)
        with page_reading(ReadingLimits()) as read_page:
            reading, rejects = read_page(SourceDocument(path.name, _html_bytes(path)))
        if not reading.elements:
            raise SourceError(f"page {path}: {'; '.join(reject.reason for reject in rejects)}")
        page = {"title": reading.title, "url": reading.url or "", "updated": reading.updated or ""}
        return [
            Document(
                text="\n".join(element.text for element in section),
                metadata={
                    **(extra_info or {}),
                    **page,
                    "headings": " > ".join(_path(section[0])),
                    "anchors": " ".join(element.anchor for element in section),
                },
            )
            for section in _sections(reading.elements)
        ]


def _html_bytes(path: Path) -> bytes:
    try:
        if path.stat().st_size > MAX_PAGE_BYTES:
            raise SourceError(f"page {path} is larger than {MAX_PAGE_BYTES / 1e6:.0f} MB; split it")
        raw = path.read_bytes()
    except OSError as error:
        raise SourceError(f"page {path} cannot be read: {error.strerror}") from error
    reason = why_not_html(raw)
    if reason is not None:
        raise SourceError(f"page {path}: {reason}")
    return raw


def _path(first: Element) -> tuple[str, ...]:
    return (*first.headings, first.text) if first.is_heading else first.headings


def _sections(elements: tuple[Element, ...]) -> Iterator[tuple[Element, ...]]:
    start = 0
    for index, element in enumerate(elements):
        if index > start and element.tag in ("h1", "h2"):
            yield elements[start:index]
            start = index
    yield elements[start:]
