"""Addresses in one form."""

import pytest

from clausegraph.ingestion.fetch.addresses import host_of, joined, normalised, shape_of


@pytest.mark.parametrize(
    ("given", "form"),
    [
        ("HTTP://Example.ORG:80/a/../b?utm_source=x&b=2&a=1#frag", "http://example.org/b?b=2&a=1"),
        ("https://example.org", "https://example.org/"),
        ("https://example.org:443/", "https://example.org/"),
        ("https://example.org:8443/", "https://example.org:8443/"),
        ("https://bücher.example/ä b", "https://xn--bcher-kva.example/%C3%A4%20b"),
        ("https://example.org/a%c3%a4", "https://example.org/a%C3%A4"),
        ("https://example.org/x;jsessionid=ABC?fbclid=1", "https://example.org/x"),
        ("http://[::1]:8080/x", "http://[::1]:8080/x"),
        ("https://example.org./x?", "https://example.org/x"),
        ("mailto:a@example.org", None),
        ("javascript:alert(1)", None),
        ("ftp://example.org/", None),
        ("https://user:word@example.org/", None),
        ("https://example.org/a\nb", None),
        ("http://", None),
        ("http://xn--a/", None),
        ("http://example.org:99999/", None),
        ("relative/path", None),
        ("https://example.org/" + "a" * 3000, None),
    ],
)
def test_normalised(given: str, form: str | None) -> None:
    assert normalised(given) == form
    if form:
        assert normalised(form) == form


def test_references_are_joined() -> None:
    base = "https://example.org/rates/2026/"
    assert joined(base, "../index.html#top") == "https://example.org/rates/index.html"
    assert joined(base, "//other.example/x") == "https://other.example/x"
    assert joined(base, "?page=2") == "https://example.org/rates/2026/?page=2"
    assert joined(base, "mailto:a@b.example") is None
    assert joined(base, "http://[") is None


def test_shapes_leave_numbers_and_values_out() -> None:
    assert shape_of("https://a.example/cal/2026/11?day=3&view=month") == "/cal/#/#?day&view"
    assert host_of("https://a.example:8443/x") == "a.example:8443"
