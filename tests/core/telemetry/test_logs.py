"""Log lines: one record a line whatever is in it, no secret, no text that was not asked for."""

import json
import logging
from pathlib import Path

import pytest

from clausegraph.core.errors import ModelRefused, NotFoundError
from clausegraph.core.secrets import register_secret
from clausegraph.core.telemetry.logs import ROOT, configure_logs, log_fields, logger
from clausegraph.core.telemetry.redaction import allow_content, error_fields, shown

KEY = "sk-4f9a/+very secret"
log = logger("clausegraph.tests.logs")


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().err.splitlines()


def test_json_line_with_context(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs("debug", "json")
    with log_fields(corpus="policies", run="r1"):
        log.info("step", chunks=2, rows={"chunks": 3, "name": "left out"})
    log.info("after")
    first, second = map(json.loads, lines(capsys))
    assert (first["level"], first["event"], first["corpus"], first["run"]) == ("info", "step", "policies", "r1")
    assert first["fields"] == {"chunks": 2, "rows": {"chunks": 3}} and first["logger"] == "clausegraph.tests.logs"
    assert "corpus" not in second and second["fields"] == {}


@pytest.mark.parametrize("form", ["text", "json"])
def test_levels(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    other = logging.getLogger("some.library")
    other.setLevel(logging.DEBUG)
    configure_logs("debug", form)
    configure_logs("debug", form)  # again: still one handler
    log.info("ours")
    other.info("GET https://example.org/?key=1")
    other.warning("theirs %d", 7)
    assert len(lines(capsys)) == 2
    configure_logs("error", form)
    log.warning("ours")
    other.warning("theirs")
    assert lines(capsys) == []
    assert logging.getLogger().level == logging.WARNING


HOSTILE = "a\r\n2026-01-01T00:00:00.000Z ERROR clausegraph.x forged\x1b[2J\x85\u2028\u202e\ud800"


@pytest.mark.parametrize("form", ["text", "json"])
def test_no_forged_line(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    logging.getLogger().handlers.clear()  # pytest's own would raise at the record that does not fit its format
    configure_logs("info", form)
    log.info("page.rejected", page=HOSTILE, reason=HOSTILE, pages=[HOSTILE])
    logging.getLogger("some.library").warning(HOSTILE)
    logging.getLogger("some.library").warning("%d", HOSTILE, exc_info=None)
    logging.getLogger(f"{ROOT}.x").warning(HOSTILE, extra={"fields": {HOSTILE: HOSTILE, "page": HOSTILE}})
    written = capsys.readouterr().err
    assert len(written.split("\n")) == 5 and written.replace("\n", "").isprintable()


@pytest.mark.parametrize("form", ["text", "json"])
def test_no_secret(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    register_secret(KEY)
    register_secret("x")  # too short to be one
    allow_content(True)
    configure_logs("info", form)
    log.info("event", page=f"<{KEY}>", reply=f"it is {KEY}", rows={KEY: 1}, pages=[KEY])
    log.warning("where", endpoint="https://user:pass@host/sk-4f9a%2F%2Bvery%20secret")
    logging.getLogger("httpx").warning("sent Authorization: Bearer %s and %s", "abcdefgh12345", KEY)
    written = capsys.readouterr().err
    assert not any(word in written for word in (KEY, "very", "user:pass", "abcdefgh12345"))
    assert written.count("***") >= 7 and "host/" in written


def test_a_text_leaves_only_where_it_was_asked_for() -> None:
    fields = {"question": "Am I entitled?", "pages": ["a", "b"], "texts": ["x"] * 3, "path": Path("a.html"), "n": None}
    assert shown(fields) == {"question_chars": 14, "pages": ["a", "b"], "texts_count": 3, "path": "a.html"}
    allow_content(True)
    assert shown(fields)["question"] == "Am I entitled?"
    assert shown({"seconds": float("nan")}) == {"seconds": "nan"}


def test_errors_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs("info")
    try:
        raise ValueError("text of a page\nforged")
    except ValueError:
        logging.getLogger(f"{ROOT}.x").exception("failed")
    (line,) = lines(capsys)
    assert "error=ValueError at=" in line and "text of a page" not in line
    assert error_fields(NotFoundError("no corpus 'x'"))["error_message"] == "no corpus 'x'"
    assert error_fields(ModelRefused("echo of the prompt", status=400)) == {"error": "ModelRefused", "http_status": 400}
