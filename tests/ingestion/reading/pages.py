"""Pages that take too much, and one that does not."""

from clausegraph.core.pages.read import SourceDocument


def page(body: str, uri: str = "x.html") -> SourceDocument:
    return SourceDocument(uri, f"<html><body><main><h1>Rent help</h1>{body}</main></body></html>".encode())


def large(uri: str = "large.html") -> SourceDocument:
    """A page of the usual kind, only long."""
    return page("".join(f"<p>You can get help {n} if you rent, unless you own a house.</p>" for n in range(1200)), uri)


def slow(uri: str = "slow.html") -> SourceDocument:
    """Hundreds of thousands of descriptions, each an element of its own: half a minute long."""
    return page(f"<dl>{'<dd>x</dd>' * 300_000}</dl>", uri)


def fat(uri: str = "fat.html") -> SourceDocument:
    """A million letters that nothing parts take 250 MB to be counted."""
    return page(f"<p>{'ab' * 1_500_000}</p>", uri)
