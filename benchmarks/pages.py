"""``pages``: seconds and memory of hostile pages against their bytes, as the reading process reads them."""

from __future__ import annotations

import math
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from benchmarks.hostile_pages import FAMILIES
from benchmarks.show import Check, print_checks, print_table
from benchmarks.workbench import Workbench
from clausegraph.ingestion.reading.limits import ReadingLimits
from clausegraph.ingestion.reading.pages import SMALL_PAGE
from clausegraph.ingestion.reading.process import ReadingProcess

SIZES = (SMALL_PAGE, 100_000, 200_000, 400_000, 800_000, 3_000_000)  # bytes
_NEAR_LINEAR = 1.25  # exponent of seconds against bytes
_MEASURABLE = 0.2  # seconds; less says nothing about growth


@dataclass(frozen=True, slots=True)
class Measured:
    """A page as it was read, or why it was not; ``seconds`` of processor time and ``megabytes`` beyond the start."""

    family: str
    size: int
    elements: int
    seconds: float = math.nan
    megabytes: float = math.nan
    rejected: str = ""

    def __str__(self) -> str:
        return self.rejected or f"{self.seconds:.2f} s {self.megabytes:.0f} MB"


def run(_: Workbench) -> dict[str, Any]:
    """Measure and print."""
    found = [measure(family, size) for family in FAMILIES for size in SIZES]
    rows = [
        (family, *(str(one) for one in found if one.family == family), growth(found, family)) for family in FAMILIES
    ]
    header = ("family", *(f"{size / 1e6:.2g} MB" for size in SIZES), "exponent")
    print_table("pages: processor seconds and memory of reading, chunking and rules", [header, *rows])
    exponents = [growth(found, family) for family in FAMILIES]
    small = [one for one in found if one.size == SMALL_PAGE]
    checks = [
        Check("pages neither read nor rejected for their cost", sum(map(_is_odd, found)), 0, "pages"),
        Check("largest exponent", max((e for e in exponents if e is not None), default=0.0), _NEAR_LINEAR, "", False),
        Check(f"slowest page of {SMALL_PAGE // 1024} KiB", max(one.seconds for one in small), 2.0, "s", False),
        Check(f"largest page of {SMALL_PAGE // 1024} KiB", max(one.megabytes for one in small), 100.0, "MB", False),
    ]
    print_checks(checks)
    return {"pages": [vars_of(one) for one in found], "checks": [check.as_dict() for check in checks]}


def vars_of(one: Measured) -> dict[str, Any]:
    """The figures as JSON values."""
    return {
        name: getattr(one, name) for name in Measured.__dataclass_fields__ if getattr(one, name) == getattr(one, name)
    }


def measure(family: str, size: int, limits: ReadingLimits = ReadingLimits()) -> Measured:
    """Read a page of a family in a fresh reading process, rules included."""
    with closing(ReadingProcess(limits)) as process:
        reading, rejects = process.read(FAMILIES[family](size), rules=True)
        if process.took is not None:
            seconds, used = process.took
            return Measured(family, size, len(reading.elements), seconds, used / 1e6)
    reason = rejects[0].reason
    over = (
        "time"
        if "processor time" in reason
        else "memory"
        if "memory" in reason
        else "size"
        if "split" in reason
        else ""
    )
    return Measured(family, size, 0, rejected=f"rejected: {over or reason}")


def growth(found: list[Measured], family: str) -> float | None:
    """Exponent of seconds against bytes, fitted to what was read; none where too little was measurable."""
    points = [
        (math.log(one.size), math.log(one.seconds))
        for one in found
        if one.family == family and one.seconds > _MEASURABLE
    ]
    if len(points) < 2:
        return None
    x_mean, y_mean = (sum(column) / len(points) for column in zip(*points, strict=True))
    return sum((x - x_mean) * (y - y_mean) for x, y in points) / sum((x - x_mean) ** 2 for x, _ in points)


def _is_odd(one: Measured) -> bool:
    return one.rejected not in ("", "rejected: time", "rejected: memory", "rejected: size")
