"""Guides: read, refused where they cannot be used or were learned."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from clausegraph.core.errors import InputError
from clausegraph.query.read.model.guide import MOST_WORDS, Guide, benchmark_guide, read_guide
from clausegraph.query.read.model.labelled import LabelledAnswer, LabelledQuestion

SEEN = LabelledQuestion("train-1", "/page", "Can I  claim?", "I rent.", (LabelledAnswer("yes"),), ())
SAW = {SEEN.id: SEEN.text_hash}


def test_a_guide_is_read_as_it_was_written_and_that_of_the_benchmark_is_general(tmp_path: Path) -> None:
    found = benchmark_guide()
    assert 200 < len(found.text.split()) <= MOST_WORDS and not found.saw
    made = Guide("mine", "Be short.", saw=SAW)
    (tmp_path / "g.json").write_text(json.dumps(asdict(made)), "utf-8")
    assert read_guide(tmp_path / "g.json") == made


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "cannot be read"),
        ("{", "cannot be read"),
        ("[]", "cannot be read"),
        (json.dumps(asdict(Guide("g", "x", form=9))), "has form 9"),
        (json.dumps(asdict(Guide("g", "word " * (MOST_WORDS + 1)))), "901 words"),
    ],
)
def test_a_file_that_is_no_guide_is_named(tmp_path: Path, content: str | None, why: str) -> None:
    path = tmp_path / "g.json"
    if content is not None:
        path.write_text(content, "utf-8")
    with pytest.raises(InputError, match=why):
        read_guide(path)
