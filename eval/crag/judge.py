"""A language model as judge of answers that are worded otherwise than the gold answer, and how good a judge it is."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from clausegraph.core.errors import InputError, UnusableReply
from clausegraph.eval.crag.verdicts import Graded, Verdict, by_rules, unjudged
from clausegraph.query.crag.types import DONT_KNOW
from clausegraph.query.steps.model import ModelSteps, QuestionLimits, QuestionMeter
from clausegraph.query.steps.reply import UNUSABLE, object_of, object_schema, short

PROMPT = "crag-judge"
SCHEMA = object_schema("grade", explanation={"type": "string"}, score={"type": "integer", "enum": [0, 1]})
_LONGEST = 400  # characters of an answer that are judged: CRAG counts 50 tokens
VERDICTS: tuple[Verdict, ...] = ("correct", "incorrect", "missing")


def parse_grade(text: str) -> tuple[int, str]:
    """Score and explanation of a reply.

    Raises:
        UnusableReply: it has no score of 0 or 1.
    """
    reply = object_of(text)
    score = reply.get("score")
    if isinstance(score, bool) or score not in (0, 1):
        raise UnusableReply("the reply has no score of 0 or 1")
    return int(score), short(reply.get("explanation"))


class CragJudge:
    """Rules first; then one call of the model, with all gold answers. Without a model, what is open counts as wrong."""

    def __init__(self, steps: ModelSteps | None) -> None:
        self._steps = steps

    def grade(self, question: str, gold: Sequence[str], answer: str) -> Graded:
        """The verdict; a reply that cannot be used is no verdict for the answer."""
        found = by_rules(answer, gold)
        if found is not None or self._steps is None:
            return unjudged(found)
        model = self._steps.question(QuestionMeter(QuestionLimits(1)))
        inputs: dict[str, object] = {
            "question": question,
            "gold": "\n".join(gold),
            "answer": answer[:_LONGEST],
        }
        try:
            score, why = model.ask(PROMPT, inputs, parse_grade, schema=SCHEMA).value
        except UNUSABLE as error:
            return Graded("incorrect", "unjudged", f"the judge's reply cannot be used: {error}")
        return Graded("correct" if score else "incorrect", "judge", why)


# --- the judge itself -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LabelledVerdict:
    """An answer with the verdict that a person gave it."""

    question: str
    gold: tuple[str, ...]
    answer: str
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class JudgeCheck:
    """How many of each class the judge sees as a person does, and where it does not."""

    right: dict[str, int]
    total: dict[str, int]
    wrong: tuple[tuple[LabelledVerdict, Graded], ...]


def read_verdicts(path: Path) -> list[LabelledVerdict]:
    """Labelled verdicts of a file: JSON lines of question, gold, answer, verdict.

    Raises:
        InputError: it cannot be read, or a line is none.
    """
    found = []
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"labelled verdicts {path} cannot be read: {error}") from error
    for number, line in enumerate(lines, 1):
        try:
            given = json.loads(line)
            if given["verdict"] not in VERDICTS:
                raise ValueError(f"verdict {given['verdict']!r} is none of {', '.join(VERDICTS)}")
            gold = given["gold"] if isinstance(given["gold"], list) else [given["gold"]]
            found.append(LabelledVerdict(given["question"], tuple(gold), given["answer"], given["verdict"]))
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"{path}, line {number} is no labelled verdict: {error}") from error
    return found


def check_judge(judge: CragJudge, labelled: Sequence[LabelledVerdict]) -> JudgeCheck:
    """Grade all and compare, by the person's class."""
    names: tuple[str, ...] = VERDICTS
    right, total = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    wrong = []
    for one in labelled:
        graded = judge.grade(one.question, one.gold, one.answer or DONT_KNOW)
        total[one.verdict] += 1
        right[one.verdict] += graded.verdict == one.verdict
        if graded.verdict != one.verdict:
            wrong.append((one, graded))
    return JudgeCheck(right, total, tuple(wrong))
