"""Guides: read, refused where they cannot be used or were learned; what is usual by how a question opens."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from clausegraph.core.errors import InputError
from clausegraph.core.inquiry import Inquiry
from clausegraph.query.read.model.guide import (
    MOST_WORDS,
    FormRates,
    Guide,
    benchmark_guide,
    forms_of,
    read_guide,
    usual_answers,
)
from clausegraph.query.read.model.labelled import LabelledAnswer, LabelledQuestion
from clausegraph.query.read.model.reader import ReadOptions
from clausegraph.query.read.model.shown import Shown

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


@pytest.mark.parametrize(
    ("question", "forms"),
    [
        ("How much will I get?", ("how much", "how")),
        ("Can I claim?", ("can i", "can")),
        ("If I moved out, do I still have to pay?", ("do i", "do")),
        ("As a landlord, and at my age, what documents do I need?", ("what documents", "what")),
        ("Is it allowed? I have never asked before.", ("is it", "is")),
        ("To whom do I write?", ("whom do", "whom")),
        ("Why?", ("why",)),
        ("I would like to know my rate", ()),
        ("", ()),
    ],
)
def test_a_form_is_how_the_question_opens(question: str, forms: tuple[str, ...]) -> None:
    assert forms_of(question) == forms


def test_what_is_usual_is_told_by_the_most_exact_form() -> None:
    rates = {"how": FormRates(25, 0.2, 0.2), "how much": FormRates(20, 0.25, 0.0)}
    told = usual_answers(rates, "So, how much is a form?")
    assert told.startswith('Of 20 labelled questions that ask "how much …", 25% have more than one answer and 0% any')
    assert 'ask "how …"' in usual_answers(rates, "How long?")
    assert usual_answers(rates, "Who?") == ""


def test_a_reader_is_told_what_is_usual_of_the_question_asked() -> None:
    guide = Guide("mine", "Be short.", forms={"how": FormRates(40, 0.5, 0.1)})
    options, nothing = ReadOptions(guide=guide), Shown((), {})
    asked = options.inputs(Inquiry("How do I pay?"), nothing)
    assert "50% have more than one answer" in str(asked["usual"])
    assert replace(options, guide=benchmark_guide()).inputs(Inquiry("How do I pay?"), nothing)["usual"] == ""
