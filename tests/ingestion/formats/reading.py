"""Files as they are read, in the form that the tests of formats compare."""

from clausegraph.core.pages.read import SourceDocument
from clausegraph.core.types import Reading
from clausegraph.ingestion.formats.formats import recognised
from clausegraph.ingestion.reading.page import read_page


def read(name: str, raw: bytes) -> tuple[Reading, list[str]]:
    """The reading of a file, and the reasons of its rejects."""
    reading, rejects = read_page(SourceDocument(name, raw, recognised(name, raw)))
    assert all(reject.what == name for reject in rejects)
    return reading, [reject.reason for reject in rejects]


def elements(name: str, raw: bytes) -> list[tuple[str, str]]:
    """Tag and text of a file's elements."""
    return [(element.tag, element.text) for element in read(name, raw)[0].elements]
