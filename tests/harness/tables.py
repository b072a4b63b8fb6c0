"""Tables of cases as text: beside a test, in a file of its name, one case a line and its cells apart by `` | ``."""

import re
from pathlib import Path


def rows(test: str, table: str) -> list[tuple[str, ...]]:
    r"""The cells of the lines below ``== table`` in the text file of the test's name.

    ``\n`` in a cell is the end of a line; what stands behind ``#`` at the begin of a line is for who reads the file.
    """
    text = Path(test).with_suffix(".txt").read_text("utf-8")
    parts = dict(part.partition("\n")[::2] for part in re.split(r"^== ", text, flags=re.MULTILINE)[1:])
    lines = [line for line in parts[table].splitlines() if line and not line.startswith("#")]
    return [tuple(cell.replace(r"\n", "\n") for cell in re.split(r" \|(?: |$)", line)) for line in lines]
