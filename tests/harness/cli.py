"""The command line in this process, built once: building all its commands takes longer than most of them do."""

import functools

import typer.main
import typer.testing

from clausegraph.app.cli.main import make_app

typer.testing._get_command = functools.cache(typer.main.get_command)  # CliRunner builds them anew at each call
made_app = functools.cache(make_app)
