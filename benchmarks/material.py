"""What the benchmarks run on: pages in ConditionalQA's form, and questions about them."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clausegraph.core.pages.read import read_document
from clausegraph.ingestion.sources import SourceDocument, open_source

REPOSITORY = Path(__file__).resolve().parents[1]

Record = dict[str, Any]  # title, url, contents (serialised elements in reading order)


@dataclass(frozen=True, slots=True)
class Material:
    """Pages and questions; ``origin`` says where they come from."""

    origin: str
    records: list[Record]
    questions: list[tuple[str, str]]  # question, scenario


def named_folder(data: Path | None) -> Path:
    """Where ConditionalQA's files are looked for."""
    return data or Path(os.environ.get("CLAUSEGRAPH_SHARED_DATA", REPOSITORY.parent / "shared" / "data"))


def find_folder(data: Path | None = None) -> Path | None:
    """The folder of ConditionalQA's ``documents.json``, if there is one; ``data`` as of :func:`find_material`."""
    named = named_folder(data)
    return next((folder for folder in (named, named / "conditionalqa") if (folder / "documents.json").is_file()), None)


def find_material(data: Path | None = None) -> Material:
    """ConditionalQA's pages and development questions, or else the example pages and their questions.

    Args:
        data: folder with ``documents.json`` (or with ``conditionalqa/documents.json``); without it
            ``CLAUSEGRAPH_SHARED_DATA``, then ``../shared/data`` beside the repository.

    Raises:
        FileNotFoundError: ``data`` was given and holds no ``documents.json``.
    """
    named, folder = named_folder(data), find_folder(data)
    if folder is not None:
        records = json.loads((folder / "documents.json").read_text(encoding="utf-8"))
        dev = folder / "dev.json"
        return Material(f"ConditionalQA in {folder}", records, _questions(dev if dev.is_file() else _EXAMPLE_QUESTIONS))
    if data is not None:
        raise FileNotFoundError(f"no documents.json in {data}")
    return Material(
        f"examples/corpus, because {named} has no documents.json: figures are not comparable with others",
        example_records(),
        _questions(_EXAMPLE_QUESTIONS),
    )


def example_records() -> list[Record]:
    """The pages of ``examples/corpus`` in ConditionalQA's form."""
    records = []
    for document in open_source(str(REPOSITORY / "examples" / "corpus")).documents():
        if isinstance(document, SourceDocument):
            reading, _ = read_document(document)
            contents = [element.plain_html for element in reading.elements]
            records.append({"title": reading.title, "url": document.uri, "contents": contents})
    return records


_EXAMPLE_QUESTIONS = REPOSITORY / "examples" / "questions.json"


def _questions(path: Path) -> list[tuple[str, str]]:
    return [(item["question"], item["scenario"]) for item in json.loads(path.read_text(encoding="utf-8"))]
