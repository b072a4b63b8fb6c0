"""Pages written in other formats give the elements that they were written from, and the same anchors."""

from pathlib import Path

import pytest

from benchmarks.formats import FLOORS, WRITERS, readings_of, recovered, write_files
from benchmarks.material import REPOSITORY
from clausegraph.core.types import Reading
from tests.harness.shared_data import SHARED
from tests.ingestion.formats.reading import read

DOCUMENTS = SHARED / "conditionalqa" / "documents.json"
SAMPLE = REPOSITORY / "examples" / "corpus"


def check(readings: list[Reading], folder: Path, ending: str) -> None:
    write_files(readings, folder, ending)
    found = recovered(readings, folder, ending)
    assert found.recall >= FLOORS[ending] and found.precision >= FLOORS[ending]


@pytest.mark.parametrize("ending", list(FLOORS))
def test_some_of_the_sample_corpus_in_other_formats(ending: str, tmp_path: Path) -> None:
    check(readings_of(str(SAMPLE))[::9], tmp_path, ending)


@pytest.mark.long
@pytest.mark.parametrize("ending", list(FLOORS))
def test_all_of_the_sample_corpus_in_other_formats(ending: str, tmp_path: Path) -> None:
    check(readings_of(str(SAMPLE)), tmp_path, ending)


@pytest.mark.long
@pytest.mark.skipif(not DOCUMENTS.is_file(), reason="needs ConditionalQA's documents.json")
@pytest.mark.parametrize("ending", list(FLOORS))
def test_conditionalqa_in_other_formats(ending: str, tmp_path: Path) -> None:
    check(readings_of(str(DOCUMENTS)), tmp_path, ending)


def test_anchors_and_titles_are_those_of_the_page() -> None:
    page = readings_of(str(SAMPLE / "heating-grant.html"))[0]
    anchors = {element.anchor for element in page.elements}
    for ending in (".md", ".pdf"):
        raw = WRITERS[ending](page)
        again, _ = read(f"x{ending}", raw)
        assert again.title == page.title
        assert len(anchors & {element.anchor for element in again.elements}) >= FLOORS[ending] * len(anchors)
        assert read(f"x{ending}", raw)[0] == again
