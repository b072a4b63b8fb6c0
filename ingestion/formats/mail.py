"""Files of MIME parts, by the standard library: e-mails (.eml) and web pages saved as one file (.mhtml)."""

from __future__ import annotations

import codecs
import email
import re
from email.message import EmailMessage, MIMEPart
from email.policy import default
from email.utils import parsedate_to_datetime
from typing import cast

from clausegraph.core.pages.decode import decode_page
from clausegraph.ingestion.formats.formats import Converted, Unreadable
from clausegraph.ingestion.formats.text import html_of_text

_ADDRESS = re.compile(r"https?://\S{1,2000}", re.IGNORECASE)


def convert_eml(raw: bytes) -> Converted:
    """An e-mail: its HTML part, else its text; the subject is the title. Attachments are named, not read."""
    message = _message(raw)
    body = message.get_body(("html", "plain"))
    others = [cast(MIMEPart, part) for part in message.iter_attachments()]
    attached = tuple(
        f"attachment not read: {part.get_filename() or 'unnamed'!r} ({part.get_content_type()})"
        for part in others
        if not _is_text(part)
    )
    if body is None:
        raise Unreadable(f"the e-mail has no text part; {'; '.join(attached) or 'it has no attachment either'}")
    html = "\n".join(_html(part) for part in (body, *filter(_is_text, others)))
    return Converted(html, _header(message, "subject"), _date(message), left_out=attached)


def convert_mhtml(raw: bytes) -> Converted:
    """A web page that a browser saved with its images: the page itself."""
    message = _message(raw)
    pages = [part for part in message.walk() if part.get_content_type() == "text/html"]
    if not pages:
        raise Unreadable("no part of the saved page is HTML")
    start = str(message.get_param("start") or "").strip()
    page = next((part for part in pages if start and _header(part, "content-id") == start), pages[0])
    addresses = (_header(message, "snapshot-content-location"), _header(page, "content-location"))
    address = next((one for one in addresses if _ADDRESS.fullmatch(one)), None)
    frames = len(pages) - 1
    said = (f"{frames} frame{'s' if frames > 1 else ''} of the saved page not read",) if frames else ()
    return Converted(_decoded(page), url=address, updated=_date(message), left_out=said, web_page=True)


def _is_text(part: MIMEPart) -> bool:
    """Whether a part goes on with the text of the mail: programs put pictures between its parts."""
    inline = part.get_content_disposition() != "attachment" and not part.get_filename()
    return inline and part.get_content_type() in ("text/plain", "text/html")


def _html(part: MIMEPart) -> str:
    text = _decoded(part)
    return text if part.get_content_subtype() == "html" else html_of_text(text, titled=False)


def _message(raw: bytes) -> EmailMessage:
    raw = raw.removeprefix(codecs.BOM_UTF8)
    if raw.startswith(b"From "):  # as it stands in a mailbox
        raw = raw.partition(b"\n")[2]
    try:
        return email.message_from_bytes(raw, policy=default)
    except RecursionError:
        raise Unreadable("its parts are nested too deeply") from None


def _decoded(part: MIMEPart) -> str:
    """The text of a part: in the charset it states where that fits, else as a page's is found."""
    raw = cast(bytes, part.get_payload(decode=True) or b"")
    return decode_page(raw, part.get_content_charset() or "")


def _header(part: MIMEPart, name: str) -> str:
    return " ".join(str(part[name] or "").split())


def _date(message: EmailMessage) -> str | None:
    try:
        return parsedate_to_datetime(_header(message, "date")).date().isoformat()
    except (ValueError, OverflowError):
        return None
