"""What ``eval … --output`` wrote, to look at: runs, one with its figures and wrong answers, two side by side."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from clausegraph.app.services import Key, Record, Slice, numbered_slice
from clausegraph.core.errors import InputError, NotFoundError
from clausegraph.core.settings import Settings

if TYPE_CHECKING:
    from clausegraph.eval.provenance import Provenance
    from clausegraph.eval.report import Report


May = Callable[[str | None], bool]  # whether somebody may see the runs of a corpus; None: of a file of predictions


class ListedEvaluation(Record):
    """A run of `eval`."""

    name: str
    benchmark: str
    system: str
    date: str
    seconds: float
    version: str
    corpus: str | None
    epoch: int | None


class Evaluations:
    """The runs in the folder of the settings. Reports are made when they are asked for.

    Raises, from everything:
        InputError: a run's files are damaged or do not belong together.
    """

    def __init__(self, settings: Settings) -> None:
        self._folder = settings.evaluations_folder

    def listed(self, may: May) -> list[ListedEvaluation]:
        """The finished runs that somebody may see, newest first, without their figures."""
        found = [(name, run) for name, run in self._runs().items() if may(_corpus(run))]
        found.sort(key=lambda pair: (pair[1].date, pair[0]), reverse=True)
        return [_described(name, run) for name, run in found]

    def report(self, name: str, may: May) -> tuple[ListedEvaluation, Report]:
        """A run with its report."""
        from clausegraph.eval.report import read_report

        run = self._runs().get(name)
        if run is None or not may(_corpus(run)):
            raise NotFoundError(f"there is no evaluation {name[:80]!r}; the list of evaluations has those you may see")
        return _described(name, run), read_report(self._folder / name)

    def compared(self, name: str, other: str, may: May) -> list[dict[str, Any]]:
        """The headlines of two runs beside each other, and where both answered the same questions of ConditionalQA,
        ``difference``: the second minus the first with its paired interval.
        """
        runs = [self.report(one, may) for one in (name, other)]
        figures = [{one.label: one for one in report.headline} for _, report in runs]
        differences = self._differences(name, other) if all(r.benchmark == "conditionalqa" for r, _ in runs) else {}
        return [
            {
                "figure": label,
                "first": asdict(figures[0][label]) if label in figures[0] else None,
                "second": asdict(figures[1][label]) if label in figures[1] else None,
                "difference": differences.get(label),
            }
            for label in dict.fromkeys([*figures[0], *figures[1]])
        ]

    def _differences(self, name: str, other: str) -> dict[str, dict[str, Any]]:
        """By the label of a headline; nothing where the questions are not the same."""
        from clausegraph.eval.conditionalqa.figures import METRIC_NAMES, compared
        from clausegraph.eval.conditionalqa.records import QUESTION_RECORD
        from clausegraph.eval.conditionalqa.run import ANSWERS_FILE
        from clausegraph.eval.files import read_records

        first, second = (read_records(self._folder / one / ANSWERS_FILE, QUESTION_RECORD) for one in (name, other))
        if {one.id for one in first} != {one.id for one in second}:
            return {}
        return {
            f"{METRIC_NAMES[metric]}, percent": asdict(found) | {"excludes_zero": found.excludes_zero}
            for metric, found in compared(first, second, METRIC_NAMES).items()
        }

    def _runs(self) -> dict[str, Provenance]:
        """Every run of the folder, by the name of its own folder; what is no finished run is passed over."""
        from clausegraph.eval.provenance import RUN_FILE, read_run

        if not self._folder.exists():  # the first run makes it
            return {}
        try:
            folders = [one for one in self._folder.iterdir() if (one / RUN_FILE).is_file()]
        except OSError as error:
            said = f"the folder of evaluations cannot be read ({error}); see the setting evaluations"
            raise InputError(said) from error
        return {one.name: read_run(one) for one in sorted(folders)}


def case_slice(report: Report, limit: int, after: Key | None = None) -> Slice:
    """The wrong answers of a report."""
    part = numbered_slice(report.cases, limit, after)
    return Slice([asdict(case) for case in part.items], part.after)


def report_record(report: Report) -> dict[str, Any]:
    """A report as JSON values, without its cases."""
    found = asdict(replace(report, cases=()))
    return {name: found[name] for name in ("title", "questions", "about", "headline", "sections")}


def _corpus(run: Provenance) -> str | None:
    return run.corpus.name if run.corpus is not None else None


def _described(name: str, run: Provenance) -> ListedEvaluation:
    corpus = run.corpus
    return ListedEvaluation.of(
        run,
        name=name,
        system=run.system or ("predictions of a file" if corpus is None else "all parts"),
        version=run.program.version,
        corpus=_corpus(run),
        epoch=corpus and corpus.epoch,
    )
