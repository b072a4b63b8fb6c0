"""What ``--help`` says of every command and option."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from clausegraph.core.settings import load_settings
from tests.harness.cli import made_app


def commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command below a group with the words that call it."""
    for name, one in group.commands.items():
        if hasattr(one, "commands"):
            yield from commands(one, (*path, name))
        else:
            yield (*path, name), one


COMMANDS = dict(commands(typer.main.get_command(made_app())))


def valued(command: Any) -> list[Any]:
    """The options that take a value and need not be given."""
    return [p for p in command.params if p.param_type_name == "option" and not p.is_flag and not p.required]


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_option_says_what_it_does_and_its_default(path: tuple[str, ...]) -> None:
    command = COMMANDS[path]
    assert command.help and command.help.strip().split("\n")[0].endswith(".")
    for option in valued(command):
        said = isinstance(option.show_default, str) or (option.show_default and option.default not in (None, ""))
        assert said, f"{option.opts[0]} shows no default"
    assert all(getattr(parameter, "help", None) for parameter in command.params)


def test_defaults_that_come_from_settings_are_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CLAUSEGRAPH_HOME")
    settings = load_settings()
    named = {
        option.show_default
        for command in COMMANDS.values()
        for option in valued(command)
        if isinstance(option.show_default, str) and option.show_default.startswith("the setting ")
    }
    assert len(named) >= 4
    for text in named:
        found = re.fullmatch(r"the setting (\w+): (.+)", text)
        assert found is not None
        value = getattr(settings, found[1])
        shown = str(value).replace(str(settings.home.parent), "~") if found[1] == "home" else f"{value}"
        assert found[2] == shown.removesuffix(".0")
