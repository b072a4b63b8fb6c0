"""`clausegraph forget`: confirmed, certified in a file, checked, listed, allowed."""

from __future__ import annotations

from pathlib import Path

import pytest

from clausegraph.app.access.rules import AuditLog
from tests.app.cli.conftest import Cli, parsed

pytestmark = pytest.mark.unit
PAGE = "heating-grant.html"


def test_a_page_is_forgotten_checked_and_allowed(cli: Cli, stocked: Path) -> None:
    words = ("forget", "page", PAGE, "--reason", "asked by the office")
    refused = cli(*words)
    assert refused.exit_code == 2 and f"forgetting '{PAGE}' cannot be undone; add --yes" in refused.stderr
    for reason, code in ((f"{PAGE} is wrong", 2), ("asked by the office", 0)):
        done = cli(*words[:4], reason, "--yes")
        assert done.exit_code == code, done.output
    deeds = [(one["action"], one["outcome"]) for one in AuditLog(stocked).last(2)]
    assert deeds == [("forget page", "done"), ("forget page", "InputError")]
    assert f"corpus 'default' has forgotten {PAGE}" in done.stdout and "found: nothing" in done.stdout
    (file,) = Path().glob("forgotten-*.json")
    said = "is as it was signed with this home's key: corpus 'default' has forgotten a page"
    assert said in cli("forget", "check", str(file)).stdout
    (item,) = parsed(cli("forget", "list", "--json"))
    assert file.name == f"forgotten-{item['key'][:12]}.json" and item["reason"] == "asked by the office"
    file.write_text(file.read_text().replace("a page", "a pagE"))
    changed = cli("forget", "check", str(file))
    assert changed.exit_code == 2 and "was changed after it was signed" in changed.stderr
    assert cli("forget", "allow", item["key"][:6]).exit_code == 0
    assert cli("forget", "allow", item["key"][:6]).exit_code == 3
