"""Forgotten is gone: no string and no vector of a page is in any file, and the corpus is as if it had never been."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from clausegraph.app.access.rules import AuditLog
from clausegraph.app.services.certificates import check_certificate
from clausegraph.app.services.evaluation import describe_run
from clausegraph.app.services.forget import allow, forget, forget_again, list_items
from clausegraph.app.services.quarantine import list_held
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError, NotFoundError, SourceError, StillReadError
from clausegraph.eval.provenance import write_run
from clausegraph.indexes.corpora import get_corpus
from clausegraph.indexes.dump import dump_lines
from clausegraph.indexes.forgotten import forgotten_key, list_forgotten
from clausegraph.indexes.ledger.schema import (
    decisions,
    hidden_statements,
    judged_answers,
    model_calls,
    runs,
    watch_changes,
    watches,
)
from clausegraph.indexes.views import open_view
from tests.law.forgetting import (
    CORPUS,
    PLACES,
    SHARED,
    ingest,
    left,
    own_vectors,
    page,
    plant,
    settings_of,
    text_of,
    write_pages,
)

pytestmark = pytest.mark.unit
FEW = PLACES[:10]
GONE = PLACES[5:8]  # to the first of them another page links; the second states what others state too
TEXTS = [f"live in {GONE[0]}", *GONE[1:]]
WHY = "asked by the office"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_pages(tmp_path / "pages", FEW)


@pytest.fixture
def workspace(tmp_path: Path, folder: Path) -> Iterator[Workspace]:
    with Workspace(settings_of(tmp_path / "home")) as made:
        ingest(made, folder)
        yield made


def lines(workspace: Workspace) -> list[str]:
    with open_view(workspace.ledger, CORPUS) as view:
        return dump_lines(view)


def clean_lines(tmp_path: Path) -> list[str]:
    """Of a corpus that never had the pages that are gone."""
    with Workspace(settings_of(tmp_path / "clean")) as clean:
        (tmp_path / "fewer").mkdir()
        ingest(clean, write_pages(tmp_path / "fewer" / "pages", [one for one in PLACES if one not in GONE]))
        return lines(clean)


def test_nothing_of_a_page_is_left(workspace: Workspace, folder: Path, tmp_path: Path) -> None:
    ingest(workspace, write_pages(folder))
    for place in GONE:
        plant(workspace, place)
    home, vectors = workspace.settings.home, own_vectors(workspace, GONE)
    assert len(vectors) > 10
    assert len(left(home, TEXTS, vectors)) > 100
    for place in GONE:
        made = forget(workspace, CORPUS, page(place), None, WHY, "tester", tmp_path)
        assert check_certificate(home, Path(made["file"]))["key"] == forgotten_key("pages", page(place))
        assert place.lower() not in Path(made["file"]).read_text().lower()
    assert left(home, TEXTS, vectors) == []
    said = made["certificate"]
    assert said["out of reach"][0].startswith("backup of epoch 1, made 1970-01-01T00:00:01Z at /mnt/backups")
    ledger = workspace.ledger
    for table in (decisions, hidden_statements, judged_answers, watch_changes):
        assert ledger.rows(select(table)) == []
    assert {(row.approved, row.approved_by) for row in ledger.rows(select(watches))} == {(None, None)}
    assert {row.pages for row in ledger.rows(select(model_calls))} == {'["pages:other"]'}
    told = json.dumps([row.report for row in ledger.rows(select(runs))])
    assert page(PLACES[0]) in told and not any(page(place) in told for place in GONE)
    assert {one["target"].strip("-") for one in AuditLog(home).last(9)} == {""}
    assert lines(workspace) == clean_lines(tmp_path)


def test_it_stays_out_until_it_is_allowed(workspace: Workspace, folder: Path) -> None:
    forget(workspace, CORPUS, page(GONE[1]), "pages", WHY, "tester")
    key = forgotten_key("pages", page(GONE[1]))
    for options in ({"dry_run": True}, {"force": True}):
        report = ingest(workspace, folder, **options)
        assert (report.pages_added, report.pages_removed) == ([], [])
        (reject,) = report.rejects
        assert reject.what == "a page of source pages"
        assert f"`clausegraph forget allow {key[:12]}` lets it in" in reject.reason
    assert left(workspace.settings.home, [GONE[1]], []) == []
    with pytest.raises(NotFoundError, match="it was forgotten on"):
        forget(workspace, CORPUS, page(GONE[1]), None, WHY, "tester")
    assert allow(workspace, CORPUS, key[:8]).key == key
    assert ingest(workspace, folder).pages_added == [page(GONE[1])]
    assert list_items(workspace, CORPUS) == []


def test_a_source_goes_as_a_whole_and_is_not_asked(workspace: Workspace, folder: Path, tmp_path: Path) -> None:
    beside = tmp_path / "beside"
    beside.mkdir()
    (beside / "fee.html").write_text(f"<h1>Fee</h1><p>{SHARED}</p>")
    ingest(workspace, beside)
    vectors = own_vectors(workspace, PLACES)
    made = forget(workspace, CORPUS, None, "pages", WHY, "tester")["certificate"]
    assert made["pages that state it"] == ["beside:fee.html"] and made["stays, as other pages state it"]["facts"] == 1
    assert left(workspace.settings.home, PLACES, vectors) == []
    for dry_run in (True, False):
        with pytest.raises(SourceError, match="source 'pages' of corpus 'law' was forgotten on"):
            ingest(workspace, folder, dry_run=dry_run)


@pytest.mark.parametrize(("name", "source"), [(page(GONE[0]), None), (None, "pages")])
def test_a_reader_of_an_old_epoch_is_named_and_the_command_goes_on(
    workspace: Workspace, name: str | None, source: str | None
) -> None:
    with open_view(workspace.ledger, CORPUS) as view:
        with pytest.raises(StillReadError, match=r"epoch 1 of .* a process reads it; wait for it or stop it"):
            forget(workspace, CORPUS, name, source, WHY, "tester")
        assert page(GONE[0]) in {one.uri for one in view.page_keys()}
    (item,) = list_items(workspace, CORPUS)
    assert item.certificate is None
    with pytest.raises(InputError, match="not forgotten to the end"):
        allow(workspace, CORPUS, item.key)
    forget(workspace, CORPUS, name, source, "asked again", "tester")
    (item,) = list_items(workspace, CORPUS)
    assert item.certificate is not None and item.reason == WHY
    assert left(workspace.settings.home, TEXTS[:1], []) == []


def test_a_run_in_quarantine_would_bring_it_back(workspace: Workspace, folder: Path) -> None:
    (folder / page(GONE[1])).write_text(f"<h1>Gone</h1><p>The {GONE[1]} Panel must reply to nobody.</p>")
    for place in {*FEW} - {*GONE}:
        (folder / page(place)).unlink()
    ingest(workspace, folder)
    assert len(list_held(workspace, CORPUS)) == 1
    made = forget(workspace, CORPUS, page(GONE[1]), None, WHY, "tester")["certificate"]
    assert made["removed"]["runs in quarantine"] == 1
    assert list_held(workspace, CORPUS) == []
    assert left(workspace.settings.home, GONE[1:2], []) == []


def test_a_restored_home_forgets_again(workspace: Workspace, folder: Path, tmp_path: Path) -> None:
    shutil.copytree(workspace.settings.home, tmp_path / "backup")
    vectors = own_vectors(workspace, GONE[1:])
    for place in GONE[1:]:
        forget(workspace, CORPUS, page(place), None, WHY, "tester")
    rows = list_forgotten(workspace.ledger, get_corpus(workspace.ledger, CORPUS).id)
    with Workspace(settings_of(tmp_path / "backup")) as restored:
        assert forget_again(restored, CORPUS, rows) == 2
        assert left(tmp_path / "backup", GONE[1:], vectors) == []
        assert lines(restored) == lines(workspace)
        assert [(row.key, row.certificate) for row in list_forgotten(restored.ledger, 1)] == [
            (row.key, row.certificate) for row in rows
        ]
        assert forget_again(restored, CORPUS, rows) == 0


def test_an_evaluation_that_quotes_it_goes(workspace: Workspace, tmp_path: Path) -> None:
    folder = tmp_path / "evaluations"
    for place in (GONE[1], PLACES[0]):
        (folder / place).mkdir(parents=True)
        write_run(folder / place, describe_run("conditionalqa", {}, 0.0, (workspace, None)))
        (folder / place / "answers.jsonl").write_text(json.dumps({"said": text_of(place)[0]}))
    with Workspace(workspace.settings.model_copy(update={"evaluations": folder})) as measured:
        forget(measured, CORPUS, page(GONE[1]), None, WHY, "tester")
    assert [path.name for path in folder.iterdir()] == [PLACES[0]]


def test_what_is_not_forgotten(workspace: Workspace) -> None:
    before = lines(workspace)
    for words, name, reason in (
        ("has no page", "nowhere.html", WHY), ("names or quotes", page(GONE[1]), f"{page(GONE[1])} is wrong"),
        ("names or quotes", page(GONE[1]), f"Says: {SHARED} live in {GONE[1]} and are over 36."),
        ("say why", page(GONE[1]), " "),
    ):  # fmt: skip
        with pytest.raises((NotFoundError, InputError), match=words):
            forget(workspace, CORPUS, name, None, reason, "tester")
    assert lines(workspace) == before and list_items(workspace, CORPUS) == []


def test_a_changed_certificate_fails_its_check(workspace: Workspace, tmp_path: Path) -> None:
    made = forget(workspace, CORPUS, page(GONE[1]), None, WHY, "tester", tmp_path)
    path, home = Path(made["file"]), workspace.settings.home
    data = path.read_bytes()
    assert path.stat().st_mode & 0o777 == 0o600
    for at in range(len(data)):
        path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        with pytest.raises(InputError, match=r"changed|signed with the key"):
            check_certificate(home, path)
    for other in (data[:-1], data + b"\n", data.replace(b"  ", b" ")):
        path.write_bytes(other)
        with pytest.raises(InputError, match="changed"):
            check_certificate(home, path)
    path.write_bytes(data)
    assert check_certificate(tmp_path, path, made["public_key"])["corpus"] == CORPUS
    for key, words in (("", "has signed no certificate"), ("00" * 32, "was signed with the key")):
        with pytest.raises(InputError, match=words):
            check_certificate(tmp_path, path, key)
