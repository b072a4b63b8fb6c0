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
