"""Addresses of pages in one form, so that equal ones are told to be equal before anything is fetched."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlsplit

import httpx

from clausegraph.core.telemetry.redaction import scrub

_SHOWN = 200  # characters of an address in a message
_USER = re.compile(r"//.*@")
_LONGEST = 2000  # characters
_PORTS = 65535
_SCHEMES = {"http": 80, "https": 443}
# What advertisers, mail programs and servers add so as to follow a visitor: never a part of what a page is.
_TRACKING = re.compile(
    r"(?:utm_\w+|fbclid|gclid|dclid|gbraid|wbraid|msclkid|yclid|igshid|mc_[ce]id|_ga|_gl|_hs(?:enc|mi)|"
    r"phpsessid|jsessionid|aspsessionid\w*)",
    re.IGNORECASE,
)
_HOST = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|[0-9a-f:.]*:[0-9a-f:.]*")
_SESSION = re.compile(r";jsessionid=[^/?#]*", re.IGNORECASE)
_ESCAPE = re.compile(r"%[0-9a-fA-F]{2}")
_CONTROL = re.compile(r"[\x00-\x20\x7f]")


def normalised(address: str) -> str | None:
    """The address as it is compared, stored and asked for; None where it is none of a page on the web.

    Scheme and host in lower case (internationalised ones in ASCII), no default port, no ``.`` and ``..``, no fragment,
    no session id, no parameter that only follows visitors. The order of the other parameters stays: it may matter.
    """
    address = address.strip()
    if len(address) > _LONGEST or _CONTROL.search(address.replace(" ", "")):
        return None
    try:
        url = httpx.URL(address.replace(" ", "%20"))
        port, has_host = url.port, bool(url.host)  # a host in punycode that is none is found out here
    except (httpx.InvalidURL, ValueError, UnicodeError):
        return None
    if url.scheme not in _SCHEMES or not has_host or url.userinfo:
        return None
    host = url.raw_host.decode("ascii").lower().rstrip(".")
    if not _HOST.fullmatch(host) or (port or 0) > _PORTS:
        return None
    shown = f"[{host}]" if ":" in host else host
    place = shown if port in (None, _SCHEMES[url.scheme]) else f"{shown}:{port}"
    path, _, query = url.raw_path.decode("ascii").partition("?")
    path = _ESCAPE.sub(lambda found: found.group().upper(), _SESSION.sub("", path)) or "/"
    kept = "&".join(part for part in query.split("&") if part and not _TRACKING.fullmatch(part.partition("=")[0]))
    return f"{url.scheme}://{place}{path}" + (f"?{kept}" if kept else "")


def joined(base: str, reference: str) -> str | None:
    """What a reference on a page leads to, normalised; None where that is no page on the web."""
    try:
        return normalised(str(httpx.URL(base).join(reference.strip())))
    except (httpx.InvalidURL, ValueError, UnicodeError):
        return None


def shown(address: str) -> str:
    """What is no address as a message shows it: who logs in, and with which password, is not for messages."""
    return scrub(_USER.sub("//***@", address))[:_SHOWN]


def host_of(address: str) -> str:
    """Host and port of a normalised address."""
    return urlsplit(address).netloc


def shape_of(address: str) -> str:
    """What addresses that a program makes without end have in common: numbers and the values of parameters left out."""
    parts = urlsplit(address)
    names = sorted({name for name, _ in parse_qsl(parts.query, keep_blank_values=True)})
    path = re.sub(r"\d+", "#", parts.path)
    return path + ("?" + "&".join(names) if names else "")
