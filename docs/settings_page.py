"""``python docs/settings_page.py > docs/settings.md``: the reference of the settings in Markdown."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from clausegraph.app.services.settings import about_words, default_words
from clausegraph.core.settings import CONFIG_NAME, PREFIX, ScheduledCorpus, Settings

_INTRODUCTION = f"""# Settings

This page is made by `python docs/settings_page.py`. `clausegraph settings` shows what is in force, and from where.

A setting is given as an environment variable, or as `name = value` in `{CONFIG_NAME}` in the working directory, or in
the TOML file that `{PREFIX}CONFIG` names. The options `--home` and `--corpus` win over the variable, which wins over
the file, which wins over the default. A name that is no setting is refused in the file and told of in the environment.
`{PREFIX}DEBUG=1` shows the traceback of an error. A list is words with commas or spaces between them in a variable, and
`name = ["…", "…"]` in the file; a table is JSON in a variable, and `[name]` with its lines below it in the file.

A `{CONFIG_NAME}` that merely lies in the working directory may have come with somebody else's folder. It gets no secret
from elsewhere: where it sets `llm_url`, `embedding_url` or `neo4j_uri`, and the key or password is in the environment,
every command refuses; so it does where it sets who may ask this machine or sign in, what is fetched or run, or where
data go (`serve_hosts`, `crag_graph_url`, …). Trust the file by naming it (`{PREFIX}CONFIG={CONFIG_NAME}`), or set the
address yourself.
"""
_CORPORA = """
## Corpora that Airflow ingests

Each is a table `[corpora.NAME]` of the settings file; see [airflow.md](airflow.md).
"""


def settings_page() -> str:
    """The reference in Markdown."""
    rows = [
        (f"`{name}`", f"`{PREFIX}{name.upper()}`", default_words(field), about_words(field))
        for name, field in Settings.model_fields.items()
    ]
    corpora = [
        (f"`{name}`", default_words(field), about_words(field)) for name, field in ScheduledCorpus.model_fields.items()
    ]
    return "\n".join(
        [
            _INTRODUCTION,
            *_table(("name", "variable", "default", "what it does"), rows),
            _CORPORA,
            *_table(("name", "default", "what it does"), corpora),
            "",
        ]
    )


def _table(columns: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> list[str]:
    return [f"| {' | '.join(row)} |" for row in (columns, ("---",) * len(columns), *rows)]


if __name__ == "__main__":
    sys.stdout.write(settings_page())
