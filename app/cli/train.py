"""``train``: learn from labelled questions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from clausegraph.app.cli.session import Session, command, option

ForceOption = Annotated[bool, option("Replace a file that is there.")]


@command("train guide")
def learn_guide(
    session: Session,
    *,
    questions: Annotated[Path, option("Labelled questions, in ConditionalQA's form.")],
    output: Annotated[Path, option("File of the guide.", "--output", "-o")],
    held: Annotated[int, option("Questions to test the guide on.", "--held-back", min=1, max=500)] = 40,
    seed: Annotated[int, option("Which are held back, and which cases the model sees.")] = 13,
    force: ForceOption = False,
) -> None:
    """Learn what good answers look like, for the reader with a model. Kept if it surely helps on others, held back."""
    from clausegraph.app.services.train import train_guide

    workspace = session.workspace(None)
    with session.progress() as progress:
        made = train_guide(workspace, questions, output, held=held, seed=seed, replace_file=force, progress=progress)
    change, words = made.change, len(made.guide.text.split())
    said = f"written: {output} ({words} words); set CLAUSEGRAPH_READER_GUIDE={output}"
    if not made.helps:
        said = (
            "not written: the interval does not lie above zero. So few questions show only large differences: "
            "hold back more (--held-back), which costs two calls each"
        )
    session.emit(
        {
            "kept": made.helps, "output": str(output) if made.helps else None, "held_back": change.questions,
            "before": made.before, "after": made.after, "low": change.low, "high": change.high,
            "calls": made.calls, "words": words,
        },
        f"F1 with conditions on {change.questions} held back: {made.before:.3f} before, {made.after:.3f} after "
        f"({made.calls} calls)",
        f"difference {change.mean:+.3f}, {change.confidence:.0%} interval {change.low:+.3f} to {change.high:+.3f}",
        said,
    )  # fmt: skip


@command("train attributes")
def attributes(
    session: Session,
    *,
    questions: Annotated[Path, option("Labelled questions: JSON lines, as in examples/.")],
    output: Annotated[Path, option("File of the model.", "--output", "-o")],
    seed: Annotated[int, option("Of the folds of the cross-validation.")] = 13,
    force: ForceOption = False,
) -> None:
    """Train the classifiers of open questions (domain, kind, dynamism) on embeddings. Asks no model."""
    from clausegraph.app.services.train import train_attributes

    made = train_attributes(session.workspace(None), questions, output, seed=seed, replace_file=force)
    right = [f"  {name}: {value:.3f} of the questions right, cross-validated" for name, value in made.accuracy.items()]
    rules = [f"  {name}: the rules say something of {n}, {k} of them right" for name, (n, k) in made.rules.items()]
    session.emit(
        {
            "output": str(output), "questions": made.questions, "accuracy": dict(made.accuracy),
            "rules": {name: list(counts) for name, counts in made.rules.items()}, "seconds": round(made.seconds, 2),
        },
        f"written: {output}; {made.questions} questions, {made.seconds:.1f} seconds",
        *right,
        *rules,
        f"set CLAUSEGRAPH_CRAG_ATTRIBUTE_MODEL={output}",
    )  # fmt: skip


@command("train chats")
def chats(
    session: Session,
    *,
    questions: Annotated[Path, option("Open questions with gold answers, in CRAG's form.")],
    output: Annotated[Path, option("JSON lines of chats.", "--output", "-o")],
    task: Annotated[int, option("1: pages; 2: and the API; 3: fifty pages and the API.")] = 2,
    at: Annotated[str | None, option("When questions are asked whose file does not say so.")] = None,
    force: ForceOption = False,
) -> None:
    """Write fine-tuning data: reasoning where it led to the gold answer, else the gold answer without reasoning."""
    from clausegraph.app.services.crag_evaluation import CragTrial, write_chats
    from clausegraph.query.crag.times import parse_time

    trial = CragTrial(task, seconds=0, at=parse_time(at) if at else None)
    workspace = session.workspace(None)
    with session.progress() as progress:
        made = write_chats(workspace, questions, output, trial, replace_file=force, told=progress)
    session.emit(
        {"output": str(output), "chats": made.chats, "reasoned": made.reasoned, "failed": list(made.failed)},
        f"written: {output}; {made.chats} chats, {made.reasoned} of them with reasoning",
        *(f"  failed: {why}" for why in made.failed),
    )
