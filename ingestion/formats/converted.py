"""What a conversion gives: HTML with what the file says about itself, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass


class Unreadable(Exception):
    """A file that is not read; ``reason`` is what its reject says."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Converted:
    """A file as HTML.

    ``title`` is one that the file itself gives its content; a doubtful one (of a PDF's properties) stands in the
    HTML's ``<title>``, where a heading of the text comes first. ``updated`` is an ISO date of the file's properties,
    which counts where the text states none. ``left_out`` says what of the file was not read, and why. Of a
    ``web_page`` only the main text is read; of other files everything.
    """

    html: str
    title: str = ""
    updated: str | None = None
    url: str | None = None
    left_out: tuple[str, ...] = ()
    web_page: bool = False
