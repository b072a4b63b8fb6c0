"""Word documents by mammoth: styles to headings, lists, tables, notes; no deleted text, comments or images.

Macros, embedded objects and linked files are never opened: of the archive only the parts of text are.
"""

from __future__ import annotations

import io
import zlib
from html import escape
from typing import Any
from xml.parsers.expat import ExpatError
from zipfile import BadZipFile, ZipFile

import mammoth
from lxml import etree, html

from clausegraph.core.pages.page_facts import iso_date
from clausegraph.ingestion.formats.formats import Converted, Unreadable

_MAX_PARTS = 10_000
_MAX_XML = 100_000_000  # bytes of the XML parts unpacked; a thousand pages have about 10 MB
_LISTS = "\n".join(
    f"p[style-name='List {kind}{suffix}'] => {'ul|ol > li > ' * depth}{tag} > li:fresh"
    for kind, tag in (("Bullet", "ul"), ("Number", "ol"))
    for depth, suffix in enumerate(("", " 2", " 3"))
)
_STYLES = f"""
p[style-name='Title'] => h1:fresh
p[style-name='heading 7'] => h6:fresh
p[style-name='heading 8'] => h6:fresh
p[style-name='heading 9'] => h6:fresh
p[style-name='caption'] => p:fresh
{_LISTS}
"""
_PROPERTIES = "docProps/core.xml"
_TITLE, _MODIFIED, _CREATED = (
    f"{{http://purl.org/dc/{name}}}{tag}"
    for name, tag in (("elements/1.1/", "title"), ("terms/", "modified"), ("terms/", "created"))
)


def convert_docx(raw: bytes) -> Converted:
    """A Word document as its last author sees it with all changes accepted."""
    try:
        with ZipFile(io.BytesIO(raw)) as archive:
            _check(archive)
            title, updated = _properties(archive)
        found = mammoth.convert_to_html(
            io.BytesIO(raw), style_map=_STYLES, include_embedded_style_map=False, convert_image=_alternative
        )
    except (BadZipFile, ExpatError, zlib.error, EOFError, KeyError, NotImplementedError) as error:
        raise Unreadable(f"a damaged Word document: {error}") from None
    except RecursionError:
        raise Unreadable("its parts are nested too deeply") from None
    body = _tidied(found.value)
    head = f"<title>{escape(title, quote=False)}</title>" if title else ""
    return Converted(f"<html><head>{head}</head>{body}</html>", updated=updated)


def _check(archive: ZipFile) -> None:
    """Refuse what would not end, before anything is unpacked; no more than what is declared is ever unpacked."""
    parts = archive.infolist()
    size = sum(part.file_size for part in parts if not part.filename.startswith("word/media/"))
    if len(parts) > _MAX_PARTS or size > _MAX_XML:
        raise Unreadable(f"unpacked it has {len(parts)} parts and {size / 1e6:,.0f} MB of text: more than any document")
    if any(part.flag_bits & 1 for part in parts):
        raise Unreadable("an encrypted archive: save it without a password")


def _properties(archive: ZipFile) -> tuple[str, str | None]:
    """Title and ISO date of the last change, as the document's core properties have them."""
    if _PROPERTIES not in archive.namelist():
        return "", None
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    try:
        root = etree.fromstring(archive.read(_PROPERTIES), parser)
    except etree.XMLSyntaxError:
        return "", None  # the text may be sound
    texts = {tag: (root.findtext(tag) or "").strip() for tag in (_TITLE, _MODIFIED, _CREATED)}
    return texts[_TITLE], iso_date(texts[_MODIFIED]) or iso_date(texts[_CREATED])


def _alternative(image: Any) -> list[Any]:
    """An image as its alternative text alone: its file is not opened."""
    return [mammoth.html.element("img", {"alt": image.alt_text})] if image.alt_text else []


def _tidied(markup: str) -> str:
    """The body with plain cells, and with a heading over its notes instead of arrows back to the text."""
    root: Any = html.document_fromstring(f"<html><body>{markup}</body></html>", ensure_head_body=True)
    body = root.find("body")
    for cell in body.iter("td", "th"):
        _flatten(cell)
    notes = None
    for link in list(body.iter("a")):
        if (link.get("href") or "").startswith(("#footnote-ref-", "#endnote-ref-")):
            notes = next((above for above in link.iterancestors("ol")), notes)
            link.drop_tree()
    if notes is not None:
        notes.addprevious(html.fromstring("<h2>Notes</h2>"))
    return etree.tostring(body, encoding="unicode", method="html")


def _flatten(cell: Any) -> None:
    """A cell of paragraphs is a cell of lines: what holds several blocks would pass for layout."""
    if len(cell) and all(child.tag == "p" for child in cell) and not (cell.text or "").strip():
        for child in list(cell)[:-1]:
            child.addnext(html.Element("br"))
        etree.strip_tags(cell, "p")
