"""Count how often answers of the reader without a model are right, by kind and by how many doubts remain.

    python -m benchmarks.fit_sureness HOME OUT_FOLDER [--data DATA]

Questions as people type them: ``development_questions.json`` (by somebody who had not seen the code, on the sample
corpus and ConditionalQA's pages) and ``plain_questions.json`` (on the sample corpus). Their texts were looked at while
the reader's doubts were chosen, so the shares flatter it; those of the questions that test it
(``examples/typed_questions.json``) were not. Writes ``sureness.json``: by kind the share of right answers with 0, 1, 2,
and 3 or more doubts, never rising, each as if one more answer had been right and one more wrong. Prints beside it what
would be asserted when the shares are counted without the pages of a fifth of the questions.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from zlib import crc32

from benchmarks.material import REPOSITORY
from benchmarks.typed import CORPORA, DAY, REFUSED, corpus_view
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder
from clausegraph.core.types import AnswerStatus, ConditionState, holds
from clausegraph.query.engines.bank import make_engine
from clausegraph.query.rank.hits import Hit
from clausegraph.query.read.answerable import unrelated
from clausegraph.query.read.candidates import candidates
from clausegraph.query.read.confidence import ASSERTED
from clausegraph.query.read.extractive import ExtractiveReader
from clausegraph.query.read.protocol import ReadResult, Rules
from clausegraph.query.read.surely import SureAnswer, surely

DEVELOPMENT = REPOSITORY / "benchmarks" / "development_questions.json"
PLAIN = REPOSITORY / "benchmarks" / "plain_questions.json"
_MOST = 3  # doubts that are told apart
_FOLDS = 5
_FIGURE = re.compile(r"\d[\d.,]*(?<=\d)")
_WORDS = {"one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "half": "50"}


@dataclass(slots=True)
class Surely:
    """A reader that keeps what would surely be said where the shipped one looks for it, and asserts nothing."""

    embedder: Embedder
    found: SureAnswer | None = None

    def read(self, inquiry: Inquiry, hits: Iterable[Hit], rules: Rules) -> ReadResult:
        """Nothing; ``found`` has the answer."""
        asked = ExtractiveReader(self.embedder).asked(replace(inquiry, as_of=DAY), rules)
        ranked = candidates(list(hits), rules.reading)
        self.found = None
        if ranked and asked.form.sentence and not unrelated(inquiry.question, ranked, rules.reading)[0]:
            found = surely(asked, ranked)
            refuted = found is None or holds(found.alternative.condition) is ConditionState.UNMET
            self.found = None if refuted else found
        return ReadResult(AnswerStatus.UNKNOWN, ())


@dataclass(frozen=True, slots=True)
class Counted:
    """An answer: its kind, its doubts, whether it is right, and the fold of its page."""

    kind: str
    doubts: int
    right: bool
    fold: int


def is_right(question: dict[str, Any], found: SureAnswer) -> bool:
    """Whether an answer is the right one: an equal verdict, or figures of the right answer only."""
    if question.get("kind") in REFUSED:
        return False
    text, verdict = found.alternative.text, question.get("verdict")
    if verdict == "depends":
        return holds(found.alternative.condition) is ConditionState.UNKNOWN
    if verdict or found.kind == "verdict":
        return bool(text == verdict)
    if isinstance(question["answer"], list):  # plain questions: texts, one of which must be there
        return any(wanted.lower() in text.lower() for wanted in question["answer"])
    return bool(_figures(text)) and _figures(text) <= _figures(question["answer"])


def _figures(text: str) -> set[str]:
    words = {_WORDS[word] for word in re.findall(r"[a-z]+", text.lower()) if word in _WORDS}
    return words | set(_FIGURE.findall(text))


def counted(home: Path, data: Path) -> Iterator[Counted]:
    """All answers to the questions of both files that are about something."""
    developed = json.loads(DEVELOPMENT.read_text(encoding="utf-8"))
    plain = [question | {"corpus": "sample"} for question in json.loads(PLAIN.read_text(encoding="utf-8"))]
    for name in CORPORA:
        asked = [one for one in (*developed, *plain) if one["corpus"] == name and one.get("kind") != "off_topic"]
        with corpus_view(home, data, name) as (view, embedder):
            reader = Surely(embedder)
            engine = make_engine(view, embedder, reader=reader)
            for question in asked:
                reader.found = None
                engine.ask(Inquiry(question["question"], question.get("scenario") or ""))
                if reader.found is not None:
                    page = str(reader.found.alternative.evidence[0].page)
                    right = is_right(question, reader.found)
                    fold = crc32(page.encode()) % _FOLDS
                    yield Counted(reader.found.kind, min(_MOST, len(reader.found.doubts)), right, fold)


def shares(rows: list[Counted]) -> dict[str, list[float]]:
    """The share of right answers by kind and doubts."""
    made: dict[str, list[float]] = {}
    for kind in ("value", "verdict"):
        made[kind] = []
        for doubts in range(_MOST + 1):
            here = [row.right for row in rows if row.kind == kind and row.doubts == doubts]
            share = (sum(here) + 1) / (len(here) + 2)
            made[kind].append(round(min([share, *made[kind]]), 2))
    unsure = [row.right for row in rows if row.doubts]
    return {"guess": [round((sum(unsure) + 1) / (len(unsure) + 2), 2)]} | made


def main() -> None:
    """Count, print, and write the shares."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fit_sureness", description=__doc__)
    parser.add_argument("home", type=Path, help="where the pages are read into")
    parser.add_argument("out", type=Path)
    parser.add_argument("--data", type=Path, default=REPOSITORY.parent / "shared" / "data")
    options = parser.parse_args()
    rows = list(counted(options.home, options.data))
    for kind in ("value", "verdict"):
        for doubts in range(_MOST + 1):
            here = [row.right for row in rows if row.kind == kind and row.doubts == doubts]
            print(f"{kind}, {doubts} doubts: {sum(here)} of {len(here)} right")
    held = []
    for fold in range(_FOLDS):
        known = shares([row for row in rows if row.fold != fold])
        held += [row.right for row in rows if row.fold == fold and known[row.kind][row.doubts] >= ASSERTED]
    print(f"asserted by shares counted on other pages: {sum(held)} of {len(held)} right")
    text = json.dumps(shares(rows), indent=0, sort_keys=True)
    (options.out / "sureness.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
