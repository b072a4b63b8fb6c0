"""Write an evaluation's report from the folder that it left."""

from __future__ import annotations

from pathlib import Path

from clausegraph.eval import passage_report
from clausegraph.eval.conditionalqa import report as conditionalqa
from clausegraph.eval.page import Report, write_pages
from clausegraph.eval.provenance import read_run

_MAKERS = {"conditionalqa": conditionalqa.make_report, "passages": passage_report.make_report}


def read_report(folder: Path) -> Report:
    """The report of ``run.json`` and the records; no model is used.

    Raises:
        InputError: the folder has no finished evaluation.
    """
    run = read_run(folder)
    return _MAKERS[run.benchmark](folder, run)


def write_report(folder: Path) -> None:
    """Make ``report.html``, ``report.md`` and the pictures anew from ``run.json`` and the records; no model is used.

    Raises:
        InputError: the folder has no finished evaluation, or cannot be written.
    """
    write_pages(folder, read_report(folder))
