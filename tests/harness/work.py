"""Work that is counted, not timed: how many lines of the product's own code something runs."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

_OURS = str(Path(__file__).resolve().parents[2])


def lines_run(work: Callable[[], object]) -> int:
    """Lines of this repository that ``work`` runs, each as often as it runs; what libraries do is not seen."""
    count = 0

    def line(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        count += event == "line"
        return line

    def call(frame: FrameType, _event: str, _: Any) -> Any:
        name = frame.f_code.co_filename
        return line if name.startswith(_OURS) and "site-packages" not in name else None

    before = sys.gettrace()
    sys.settrace(call)
    try:
        work()
    finally:
        sys.settrace(before)
    return count
