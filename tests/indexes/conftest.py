"""The law's world for whoever names its pages: a module's ``PAGES`` are ingested before each test."""

from collections.abc import Iterator

import pytest

from tests.law.world import World


def stocked(made: World, request: pytest.FixtureRequest) -> World:
    """The world with the pages of a test's module."""
    pages: dict[str, list[str]] = getattr(request.module, "PAGES", {})
    for name, paragraphs in pages.items():
        made.write(name, paragraphs)
    if pages:
        made.ingest()
    return made


@pytest.fixture
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    made = World()
    yield stocked(made, request)
    made.close()
