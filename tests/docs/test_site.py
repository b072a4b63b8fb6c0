"""The site that ``make docs`` builds has every document and every public name, and builds without a warning."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

import clausegraph

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[2]


def test_navigation_has_every_document() -> None:
    named = re.findall(r"([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(named) == sorted(str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.md"))


def test_reference_has_every_public_name() -> None:
    named = re.findall(r"^::: clausegraph\.(\w+)$", (ROOT / "docs" / "reference.md").read_text("utf-8"), re.MULTILINE)
    assert sorted(named) == sorted(set(clausegraph.__all__) - {"__version__", "main"})


@pytest.mark.skipif(importlib.util.find_spec("mkdocs") is None, reason="needs the extra docs: make docs")
def test_it_builds_and_asks_no_other_host(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for page in (tmp_path / "site").rglob("*.html"):
        assert re.findall(r"<(?:script|link|img)[^>]*https?://[^>]*>", page.read_text(encoding="utf-8")) == [], page
