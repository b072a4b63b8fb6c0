"""What a source hands over: the raw bytes of a page with what the source itself knows about it."""

from __future__ import annotations

from dataclasses import dataclass

HTML = "text/html"
CONDITIONALQA = "application/x-conditionalqa+json"

_CHARSET = "; charset="  # after a content type: what the server says that the bytes are written in

MAX_PAGE_BYTES = 20 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """One page as its source has it.

    ``uri`` is unique within the source and stable between runs. ``content_type`` is ``HTML``, ``CONDITIONALQA``
    (``raw`` is then the canonical JSON of title, url and contents), or one of ``ingestion.formats``; "; charset=NAME"
    follows it where a server has said so. ``title`` and ``url`` are set only where the source states them, apart from
    the page itself.
    """

    uri: str
    raw: bytes
    content_type: str = HTML
    title: str | None = None
    url: str | None = None

    @property
    def media_type(self) -> str:
        """The content type without its charset."""
        return self.content_type.partition(_CHARSET)[0]

    @property
    def charset(self) -> str:
        """What the server says that the bytes are written in; empty where it does not."""
        return self.content_type.partition(_CHARSET)[2]
