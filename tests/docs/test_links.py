"""Links between documents lead somewhere; each decision is short and stands in the index under its title."""

import re
from pathlib import Path

from tests.harness.cases import for_each

ROOT = Path(__file__).parents[2]
FOLDERS = ("app", "benchmarks", "core", "dags", "docker", "docs", "eval", "examples", "indexes", "ingestion", "prompts")
DOCUMENTS = sorted(
    path
    for path in [
        *ROOT.glob("*.md"),
        *(path for name in (*FOLDERS, "query", "tests") for path in (ROOT / name).rglob("*.md")),
    ]
    if "node_modules" not in path.parts
)
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("0*.md"))
MOST_WORDS = 550


@for_each("path", DOCUMENTS)
def test_links_lead_to_files(path: Path) -> None:
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", re.sub(r"`[^`\n]*`", "", text))
    assert [link for link in links if "://" not in link and not (path.parent / link).exists()] == []


def test_decisions_that_documents_and_code_name_are_there() -> None:
    numbers = {path.name[:4] for path in DECISIONS}
    code = [path for name in FOLDERS for path in (ROOT / name).rglob("*.py")]
    for path in [*DOCUMENTS, *code]:
        named = re.findall(r"[Dd]ecisions?[ /]\[?(0\d{3})", path.read_text(encoding="utf-8"))
        assert set(named) <= numbers, path


def test_the_index_has_each_decision_under_its_title() -> None:
    index = (ROOT / "docs" / "decisions" / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[(\d{4})\]\((.+?)\) \| (.+) \|$", index, re.MULTILINE)
    assert len(rows) == len(DECISIONS)
    for (number, name, title), path in zip(rows, DECISIONS, strict=True):
        assert (name, f"# {number} {title}") == (path.name, path.read_text(encoding="utf-8").partition("\n")[0])


@for_each("path", DECISIONS)
def test_a_decision_is_a_page_at_most(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").split()) <= MOST_WORDS
