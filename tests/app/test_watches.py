"""Watched questions: exactly those that a publish touches are asked again, and exactly what changed is told, once."""

from __future__ import annotations

import hashlib
import hmac
import json
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import SecretStr

from clausegraph.app.services import scheduling, watches
from clausegraph.app.services.answer_changes import answer_differences
from clausegraph.app.services.ask import answer, search
from clausegraph.app.services.corpora import corpus_status, drop, move
from clausegraph.app.services.history import vacuum_corpus
from clausegraph.app.services.pages import remove
from clausegraph.app.services.quarantine import accept_held
from clausegraph.app.services.watching import run as ask_now
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import ModelError, NotFoundError
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.settings import Settings
from clausegraph.core.types import Answer
from clausegraph.indexes.dump import dump_lines
from clausegraph.ingestion.report import WatchReport
from clausegraph.query.engines.bank import ENGINES, EngineEntry
from clausegraph.query.engines.single_pass import make
from tests.harness.home import filled, run
from tests.harness.mail import mail_server
from tests.harness.site import NAME, local_site
from tests.harness.writes import killed_at

SAMPLE = Path(__file__).resolve().parents[2] / "examples" / "corpus"
QUESTIONS = [
    ("How many salmon can I keep in one season?", ""),
    ("What does an appeal about tax cost with a hearing?", ""),
    ("By when do I have to send an appeal to the Panel?", ""),
    ("Can I claim Carer Payment?", "I am 17 and look after my father for 35 hours a week."),
    ("How long is a skilled permit good for?", ""),
    ("Can I bring my family on a seasonal permit?", ""),
    ("What savings do I need for a youth exchange permit?", ""),
    ("How high is the surcharge for people who already own a home?", ""),
    ("Must I pay the relief back if I let my whole home?", "I bought it a year ago."),
    ("How much is the Travel Addition?", ""),
    ("Is there an age limit for the Study Grant?", "I am 63."),
    ("What is the fine for a car without tax?", ""),
    ("How long is Rent Supplement paid while I am abroad?", ""),
    ("What is the flat rate for working from home?", ""),
    ("For how long must I keep my records for Home Working Relief?", ""),
    ("Can I join the Home Register?", "I am 17."),
    ("How much notice does my landlord have to give me?", ""),
    ("Can a street trader employ somebody?", ""),
    ("How much is the Winter Heating Grant?", "I live alone and was born in 1950."),
    ("Where can I get a licence for my dog?", ""),
]
EDITS = [  # a page, what it says, what it says then; which questions have another answer
    ("fishing-licence.html", "no more than 2 salmon", "no more than 3 salmon", {1}),
    ("study-grant.html", "the Travel Addition of £480 a year", "the Travel Addition of £520 a year", {10}),
    (
        "guides/ending-a-tenancy.html",
        "Joint tenants must all agree to end",
        "All joint tenants must agree to end",
        set(),
    ),
    ("home-register.html", "only if a social worker supports", "only if a teacher or a social worker supports", {16}),
]


@dataclass
class Spy:
    """An engine's entry: which questions it was asked, and what it raises."""

    asked: list[str] = field(default_factory=list)
    failure: BaseException | None = None

    def made(self, *parts: Any) -> Any:
        inner = make(*parts)

        def ask(inquiry: Inquiry, watch: Any = None) -> Answer:
            self.asked.append(inquiry.question)
            if self.failure is not None:
                raise self.failure
            return inner.ask(inquiry, watch)

        return SimpleNamespace(ask=ask)


_SPY = Spy()
ENGINES.add(EngineEntry("spy", "single pass, and tells the test what it was asked", _SPY.made))


@pytest.fixture
def spy() -> Spy:
    _SPY.asked, _SPY.failure = [], None
    return _SPY


GRANT = "<title>{0}</title><main><h1>{0} Grant</h1><p>The {0} Grant is £{1} a year.</p></main>"


@pytest.fixture
def town(tmp_path: Path, spy: Spy) -> Settings:
    """Two grants, each with a watched question."""
    for name in ("Heating", "Garden"):
        _write(tmp_path, name, 100)
    settings = filled(tmp_path / "home", tmp_path / "pages").model_copy(update={"engine": "spy"})
    with Workspace(settings) as workspace:
        for name in ("Heating", "Garden"):
            watches.add(workspace, "default", f"How much is the {name} Grant?", "", "me")
    spy.asked = []
    return settings


def _write(root: Path, name: str, money: int) -> None:
    (root / "pages").mkdir(exist_ok=True)
    (root / "pages" / f"{name}.html").write_text(GRANT.format(name, money), "utf-8")


def _run(settings: Settings, root: Path) -> WatchReport:
    report = run(settings, root / "pages")
    assert report.watched is not None and not report.error
    return report.watched


def _told(settings: Settings) -> list[tuple[int, int, int, str, str]]:
    with Workspace(settings) as workspace:
        found = watches.changed_answers(workspace, "default")
    return [(one.watch, one.since, one.epoch, part.old, part.new) for one in found for part in one.differences]


@pytest.mark.integration
@pytest.mark.parametrize(("many", "edits"), [(7, 1), pytest.param(20, 4, marks=pytest.mark.long)])
def test_of_twenty_questions_those_that_an_edit_touches_are_asked_and_what_changed_is_told(
    tmp_path: Path, spy: Spy, many: int, edits: int
) -> None:
    pages = tmp_path / "pages"
    shutil.copytree(SAMPLE, pages)
    settings = filled(tmp_path / "home", pages).model_copy(update={"engine": "spy"})
    with Workspace(settings) as workspace:
        for question, scenario in QUESTIONS[:many]:
            watches.add(workspace, "default", question, scenario, "me")
        begun = before = {number: _answer(workspace, number) for number in range(1, many + 1)}
    for page, old, new, changes in EDITS[:edits]:
        text = (pages / page).read_text("utf-8")
        assert text.count(old) == 1
        (pages / page).write_text(text.replace(old, new), "utf-8")
        spy.asked = []
        report = _run(settings, tmp_path)
        asked = list(spy.asked)
        with Workspace(settings) as workspace:
            touched = {n for n in before if page in _pages(before[n]) or _finds(workspace, n, new)}
            before = before | {number: _answer(workspace, number) for number in report.asked}
        assert asked == [QUESTIONS[number - 1][0] for number in report.asked] and set(report.asked) == touched, page
        assert set(report.changed) == changes, page
    with Workspace(settings) as workspace:  # whom nobody asked again, too
        after = {number: _answer(workspace, number) for number in begun}
    differ = {number: (at, at + 1) for at, edit in enumerate(EDITS[:edits], 1) for number in edit[3]}
    assert {n for n in begun if answer_differences(begun[n], after[n])} == differ.keys()
    assert {number: (since, epoch) for number, since, epoch, _, _ in _told(settings)} == differ


def _answer(workspace: Workspace, number: int) -> Answer:
    return answer(workspace, "default", Inquiry(*QUESTIONS[number - 1]))


def _pages(found: Answer) -> set[str]:
    shown = [*found.quotes, *(side for one in found.contradictions for side in (one.newer, one.older))]
    return {one.page.uri for one in shown} | {
        place.page.uri for one in found.alternatives for place in (*one.evidence, *one.sources)
    }


def _finds(workspace: Workspace, number: int, words: str) -> bool:
    asked = Inquiry(*QUESTIONS[number - 1])
    found = search(workspace, "default", asked, retriever="hybrid", budget=100_000, limit=60)
    return any(words in hit.text for hit in found.hits)


@pytest.mark.unit
def test_what_cannot_be_asked_keeps_its_answer_and_is_asked_by_the_next_run(
    town: Settings, tmp_path: Path, spy: Spy
) -> None:
    assert _run(town, tmp_path) == WatchReport([], [], [], [])
    _write(tmp_path, "Garden", 140)
    spy.failure = ModelError("the model does not answer")
    report = _run(town, tmp_path)
    assert (report.asked, [one.what for one in report.not_asked]) == ([], ["1", "2"])
    assert {one.reason for one in report.not_asked} == {"the model does not answer"} and len(spy.asked) == 1
    with Workspace(town) as workspace:
        assert "£100" in watches.show(workspace, "default", 2).words
        assert [one["watched"] for one in corpus_status(workspace)] == [{"questions": 2, "changed": 0, "since": 0}]
    spy.failure = None
    _write(tmp_path, "Heating", 150)
    assert _run(town, tmp_path).changed == [1, 2]
    assert _told(town) == [(2, 1, 3, "£100 a year", "£140 a year"), (1, 1, 3, "£100 a year", "£150 a year")]


@pytest.mark.unit
def test_a_run_in_steps_one_that_is_accepted_and_one_that_was_stopped_ask_too(
    town: Settings, tmp_path: Path, spy: Spy, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("HOME", str(town.home)), ("EMBEDDING_MODEL", "hashing"), ("EXTRACTOR", "rules")):
        monkeypatch.setenv(f"CLAUSEGRAPH_{name}", value)
    asked = scheduling.RunRequest("r1", "default", str(tmp_path / "pages")).as_dict()
    _write(tmp_path, "Heating", 110)
    scheduling.step("extract", asked, *scheduling.step("plan", asked))
    assert [bool(scheduling.step(name, asked)) for name in ("embed", "publish")] == [True, True]
    assert scheduling.step("report", asked)["watched"]["changed"] == [1]
    for number in range(10):
        _write(tmp_path, f"Other{number}", 1)
    _run(town, tmp_path)
    _write(tmp_path, "Heating", 120)
    for number in range(8):
        (tmp_path / "pages" / f"Other{number}.html").unlink()
    held = run(town, tmp_path / "pages")
    assert held.held and held.watched is None
    with Workspace(town) as workspace:
        accepted = accept_held(workspace, "default", held.run_id, "me")
    assert accepted.watched is not None and accepted.watched.changed == [1]
    _write(tmp_path, "Heating", 130)
    spy.failure = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        run(town, tmp_path / "pages")
    spy.failure = None
    assert _run(town, tmp_path).changed == [1]
    with Workspace(town) as workspace:
        runs = corpus_status(workspace)[0]["runs"]
    assert sorted(one.status for one in runs[:2]) == ["done", "interrupted"]


@pytest.mark.unit
def test_an_approved_answer_is_what_later_ones_are_held_against(town: Settings, tmp_path: Path) -> None:
    def state() -> tuple[int, list[str]]:
        shown = watches.show(workspace, "default", 1)
        return shown.changed, [f"{one.old} → {one.new}" for one in shown.unlike_approved]

    with Workspace(town) as workspace:
        watches.approve(workspace, "default", 1, "ann")
        assert state() == (0, [])
        for money, changed, unlike in (
            (120, 1, ["£100 a year → £120 a year"]),
            (130, 2, ["£100 a year → £130 a year"]),
            (100, 0, []),
        ):
            _write(tmp_path, "Heating", money)
            _run(town, tmp_path)
            assert state() == (changed, unlike)
        assert ask_now(workspace, "default", 1).asked == [1]
        watches.remove(workspace, "default", 1)
        with pytest.raises(NotFoundError, match="watches no question 1"):
            watches.show(workspace, "default", 1)
    assert _told(town) == []


@pytest.mark.unit
@pytest.mark.parametrize("every", [7, pytest.param(1, marks=pytest.mark.long)])
def test_a_run_killed_at_any_write_leaves_every_change_told_once(town: Settings, tmp_path: Path, every: int) -> None:
    _write(tmp_path, "Heating", 150)
    write, is_whole = 0, False
    while not is_whole:
        write += every
        home = shutil.copytree(town.home, tmp_path / f"home{write}")
        settings = town.model_copy(update={"home": home})
        with killed_at(write, home) as writes:
            run(settings, tmp_path / "pages")
        is_whole = not writes.stopped
        run(settings, tmp_path / "pages")
        assert [one[:1] + one[3:] for one in _told(settings)] == [(1, "£100 a year", "£150 a year")], write
        with Workspace(settings) as workspace:
            assert "£150" in watches.show(workspace, "default", 1).words
        shutil.rmtree(home)
    assert write > 5


@pytest.mark.unit
def test_what_watches_quote_goes_with_its_epoch(town: Settings, tmp_path: Path) -> None:
    other = tmp_path / "other"
    with Workspace(town) as workspace, workspace.view() as view:
        watched, answered = dump_lines(view), watches.show(workspace, "default", 1)
        move(workspace, "default", str(other))
        assert not any("How much" in line for line in watched)
    with Workspace(town.model_copy(update={"home": other})) as workspace:
        moved = watches.show(workspace, "default", 1)
        assert moved.as_json() | {"id": 1} == answered.as_json()
        drop(workspace, "default")
    assert not _holds(other, "Grant is £100 a year")
    with Workspace(town) as workspace:
        watches.approve(workspace, "default", 1, "ann")
        _write(tmp_path, "Heating", 150)
        _run(town, tmp_path)
        report = remove(workspace, "default", ["Heating.html"])
        assert report.watched is not None and report.watched.changed == [1]
    with Workspace(town) as workspace:
        vacuum_corpus(workspace, "default", 1, 0.0)
        shown = watches.show(workspace, "default", 1)
        assert (shown.changes, shown.approved_by) == ([], None)
    assert not any(_holds(town.home, f"Heating Grant is £{money} a year") for money in (100, 150))


def _holds(home: Path, words: str) -> bool:
    """Whether a watch quotes the words, in any form that is unpacked, or a file has them as they are."""
    with Workspace(Settings(home=home)) as workspace:
        names = [one["corpus"] for one in corpus_status(workspace)]
        shown = [
            watches.show(workspace, name, one.id)
            for name in names
            for one in watches.watch_slice(workspace, name, 99).items
        ]
    return words in "".join(one.model_dump_json() for one in shown) or any(
        words.encode() in path.read_bytes() for path in home.rglob("*") if path.is_file()
    )


@pytest.mark.integration
def test_a_changed_answer_is_reported_to_each_address_once(
    town: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with local_site() as site, mail_server(tmp_path, NAME) as mails:
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert.pem"))
        addresses = (
            f"http://127.0.0.1:{site.port}/hook#signing-secret-1 "
            f"smtps://ann:mail-password-2@{NAME}:{mails.port}/?from=a@policy.test&to=b@policy.test"
        )
        settings = town.model_copy(update={"notify": SecretStr(addresses)})
        _write(tmp_path, "Heating", 150)
        hook, mail = _run(settings, tmp_path).unsent
        assert "no public address" in hook.reason and "cannot be looked up" in mail.reason
        settings = settings.model_copy(update={"web_allow": (f"{NAME}=127.0.0.1", "127.0.0.1")})
        site.moved("/hook", "/elsewhere", 307)
        refused = _run(settings, tmp_path).unsent
        assert [(one.what, one.reason) for one in refused] == [
            (f"http://127.0.0.1:{site.port}", "it answers 307 Temporary Redirect")
        ]
        site.page("/hook", "taken")
        for _ in range(2):
            assert _run(settings, tmp_path).unsent == []
    assert site.counts() == {"/hook": 2} and len(mails.mails) == 1
    sent = site.asked[-1]
    at, signature = (part.split("=")[1] for part in sent.headers["ClauseGraph-Signature"].split(","))
    assert signature == hmac.new(b"signing-secret-1", f"{at}.".encode() + sent.body, hashlib.sha256).hexdigest()
    told = json.loads(sent.body)["changes"]
    assert [(one["watch"], one["since"], one["epoch"], one["differences"][0]["new"]) for one in told] == [
        (1, 1, 2, "£150 a year")
    ]
    assert "Subject: 1 watched answer changed in default" in mails.mails[0] and "To: b@policy.test" in mails.mails[0]
    assert any(line.startswith("AUTH PLAIN") for line in mails.said)
    written = b"".join(path.read_bytes() for path in town.home.rglob("*") if path.is_file()) + caplog.text.encode()
    assert b"signing-secret-1" not in written and b"mail-password-2" not in written


@pytest.mark.unit
@pytest.mark.parametrize("wrong", ["ftp://a.test/", "https:///x", "smtps://u:pass-word@a.test", "hello"])
def test_a_wrong_address_is_refused_without_showing_it(wrong: str) -> None:
    with pytest.raises(ValueError, match="each address is https://HOST") as error:
        Settings(notify=SecretStr(wrong))
    assert "pass-word" not in str(error.value)
