"""What a crawl sees of a page, and what that may take."""

import time
from contextlib import closing

import pytest

from clausegraph.ingestion.reading.facts import MOST_LINKS, page_facts
from clausegraph.ingestion.reading.page import ReadingLimits
from clausegraph.ingestion.reading.process import PageLook

pytestmark = pytest.mark.integration
ADDRESS = "https://host.example/"


def test_attributes_without_end_take_no_time() -> None:
    tag = "<p " + " ".join(f"a{number}=1" for number in range(60_000)) + ">"
    start = time.process_time()
    found = page_facts(f"{tag}words</p><a href='/x'>x</a>".encode(), ADDRESS)
    assert found.links == ("https://host.example/x",)
    assert time.process_time() - start < 5  # a minute and more where each is compared with all before it


def crowded(count: int) -> bytes:
    """A tag with so many attributes, each of which hides the tag's end from whoever counts them before it is parsed."""
    attributes = " ".join(f"""a{number}='>'""" for number in range(count))
    return f"<body><p {attributes}>words</p><a href='/x'>x</a>".encode()


def test_a_page_that_takes_too_long_to_look_at_has_no_links_and_says_so() -> None:
    with closing(PageLook(ReadingLimits(seconds=1))) as look:
        start = time.process_time()
        found = look(crowded(50_000), ADDRESS)
        assert found.links == () and found.problem.startswith("reading it took more than 1 s of processor time")
        assert time.process_time() - start < 1
        assert look(crowded(5), ADDRESS).links == ("https://host.example/x",)


def test_more_links_than_are_taken_are_told() -> None:
    links = "".join(f"<a href='/{number}'>x</a><a href='/{number}#part'>x</a>" for number in range(MOST_LINKS + 1))
    found = page_facts(links.encode(), ADDRESS)
    assert (len(found.links), found.problem) == (MOST_LINKS, f"it has more than {MOST_LINKS} links")


def test_links_behind_deep_nesting_are_seen() -> None:
    found = page_facts(b"<body>" + b"<font>" * 400 + b"<a href='/x'>x</a>", ADDRESS)
    assert found.links == ("https://host.example/x",)
