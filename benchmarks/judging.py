"""``python -m benchmarks.judging sample|score``: how many statements of a graph are right, judged by people.

docs/judging.md has the rubric and the forms of the files.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from scipy.stats import binomtest
from sklearn.metrics import cohen_kappa_score

from clausegraph.core.errors import InputError

CRITERIA = ("true", "alone", "subject", "object", "condition")
_AROUND = 4  # elements shown before and after those that state it
Record = dict[str, Any]
Verdicts = dict[str, dict[str, bool]]


def draw(records: Iterable[Record], seed: int, count: int) -> list[Record]:
    """``count`` statements of an export, drawn by the seed, each with what of the page surrounds it."""
    elements: dict[str, list[Record]] = {}
    stated: list[Record] = []
    for record in records:
        if record["type"] == "element":
            elements.setdefault(record["page"], []).append(record)
        elif record["type"] == "support":
            stated.append(record)
    if count > len(stated):
        raise InputError(f"the export has {len(stated)} statements; --count {count} cannot be drawn from them")
    stated.sort(key=lambda one: json.dumps(one, sort_keys=True))
    chosen = random.Random(seed).sample(stated, count)
    return [_shown(f"s{i:02}", one, elements[one["page"]]) for i, one in enumerate(chosen, start=1)]


def _shown(name: str, support: Record, elements: Sequence[Record]) -> Record:
    """What a judge sees of a statement."""
    cited = {quote["anchor"] for quote in support["quotes"]} | set(_anchors(support["condition"]))
    places = [i for i, element in enumerate(elements) if element["anchor"] in cited]
    by_anchor = {element["anchor"]: i for i, element in enumerate(elements)}
    wanted = {j for i in places for j in range(max(0, i - _AROUND), min(len(elements), i + _AROUND + 1))}
    leads = (by_anchor.get(elements[i][key]) for i in places for key in ("lead_in", "parent") if elements[i][key])
    wanted |= {place for place in leads if place is not None}
    page = [
        {"tag": elements[i]["tag"], "text": elements[i]["text"], "cited": elements[i]["anchor"] in cited}
        for i in sorted(wanted)
    ]
    keys = ("subject", "relation", "object", "polarity", "modality", "effective_from", "effective_to")
    headings = elements[places[0]]["headings"] if places else []
    statement = {key: support[key] for key in keys} | {"condition": _words(support["condition"])}
    return {"id": name, "title": support["title"], "headings": headings, "statement": statement, "page": page}


def _anchors(tree: Any) -> list[str]:
    if not tree:
        return []
    ((kind, inner),) = tree.items()
    if kind == "leaf":
        return [inner["anchor"]]
    parts = [inner] if kind == "not" else inner
    return [anchor for part in parts for anchor in _anchors(part)]


def _words(tree: Any) -> Any:
    """A condition without its places."""
    if not tree:
        return None
    ((kind, inner),) = tree.items()
    if kind == "leaf":
        return inner.get("meaning", inner["text"])
    return {kind: _words(inner) if kind == "not" else [_words(part) for part in inner]}


def sheet(drawn: Sequence[Record]) -> str:
    """The statements as a page to judge from."""
    parts = []
    for one in drawn:
        statement = {key: value for key, value in one["statement"].items() if value is not None}
        lines = [f"## {one['id']}", "", f"page: {one['title']}", f"headings: {' > '.join(one['headings'])}", ""]
        lines += [f"- {key}: {json.dumps(value, ensure_ascii=False)}" for key, value in statement.items()]
        lines += ["", "```"]
        lines += [f"{'>>' if row['cited'] else '  '} {row['tag']:3} {row['text']}" for row in one["page"]]
        parts.append("\n".join([*lines, "```", ""]))
    return "\n".join(parts)


def read_verdicts(path: Path, wanted: Sequence[str]) -> Verdicts:
    """A judge's file: every statement once, every criterion true or false."""
    found: Verdicts = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            row = json.loads(line)
            found[row["id"]] = {criterion: row[criterion] for criterion in CRITERIA}
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{path}, line {number}: not a verdict ({error!r}); docs/judging.md has the form"
            ) from None
        if not all(isinstance(value, bool) for value in found[row["id"]].values()):
            raise InputError(f"{path}, line {number}: every criterion is true or false")
    if missing := [name for name in wanted if name not in found]:
        raise InputError(f"{path} has no verdict on {', '.join(missing)}")
    return {name: found[name] for name in wanted}


def wilson(right: int, count: int) -> tuple[float, float]:
    """The 95% interval of a share (Wilson 1927)."""
    found = binomtest(right, count).proportion_ci(method="wilson")
    return found.low, found.high


def fully_right(verdicts: Verdicts) -> list[bool]:
    """Of each statement, whether every criterion holds."""
    return [all(verdict.values()) for verdict in verdicts.values()]


def score(names: Sequence[str], judges: Mapping[str, Verdicts]) -> list[str]:
    """Lines of a table: a judge a row; two judges' agreement below it."""
    lines = [f"{'judge':20}" + "".join(f"{name:>11}" for name in CRITERIA) + f"{'fully right':>13}  95% interval"]
    for judge, verdicts in judges.items():
        shares = [sum(verdict[name] for verdict in verdicts.values()) / len(names) for name in CRITERIA]
        right = sum(fully_right(verdicts))
        low, high = wilson(right, len(names))
        lines.append(
            f"{judge[:20]:20}" + "".join(f"{share:11.2f}" for share in shares)
            + f"{right / len(names):13.2f}  [{low:.2f}, {high:.2f}]"
        )  # fmt: skip
    if len(judges) == 2:
        one, other = (fully_right(verdicts) for verdicts in judges.values())
        agreed = sum(a == b for a, b in zip(one, other, strict=True))
        kappa = 1.0 if one == other else cohen_kappa_score(one, other)
        lines.append(f"agreement on fully right: {agreed} of {len(names)}, kappa {kappa:.2f}")
    return lines


def main() -> int:
    """Draw a sheet, or score its verdicts."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.judging", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    sampling = commands.add_parser("sample", help="draw statements of an export, to be judged")
    sampling.add_argument("export", type=Path, help="JSONL that `clausegraph export` wrote")
    sampling.add_argument("--seed", type=int, required=True)
    sampling.add_argument("--count", type=int, default=50)
    sampling.add_argument("--output", type=Path, required=True, help="writes OUTPUT.md and OUTPUT.jsonl")
    scoring = commands.add_parser("score", help="what the judges found")
    scoring.add_argument("sheet", type=Path, help="the OUTPUT.jsonl of `sample`")
    scoring.add_argument(
        "--verdicts", type=Path, action="append", required=True, help="a judge's file; may be repeated"
    )
    options = parser.parse_args()
    try:
        if options.command == "sample":
            with options.export.open(encoding="utf-8") as file:
                drawn = draw((json.loads(line) for line in file), options.seed, options.count)
            options.output.with_suffix(".md").write_text(sheet(drawn), encoding="utf-8")
            rows = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in drawn)
            options.output.with_suffix(".jsonl").write_text(rows, encoding="utf-8")
        else:
            names = [json.loads(line)["id"] for line in options.sheet.read_text(encoding="utf-8").splitlines()]
            print("\n".join(score(names, {path.stem: read_verdicts(path, names) for path in options.verdicts})))
    except InputError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
