"""What the commands do, for processes of their own: settings from arguments, results in the home folder."""

from pathlib import Path

from clausegraph.app.services.backup import back_up
from clausegraph.app.services.backup import restore as restore_snapshot
from clausegraph.app.services.corpora import drop as drop_corpus
from clausegraph.app.services.forget import forget as forget_page
from clausegraph.app.services.history import rollback as rollback_corpus
from clausegraph.app.services.history import vacuum_corpus
from clausegraph.app.services.ingest import run_ingest
from clausegraph.app.workspace import Workspace
from clausegraph.core.settings import Settings
from clausegraph.ingestion.pipeline import Options
from clausegraph.ingestion.sources import open_source


def workspace(home: str) -> Workspace:
    return Workspace(Settings(home=Path(home), embedding_model="hashing", extractor="rules"))


def ingest(home: str, pages: str, corpus: str) -> None:
    with workspace(home) as opened:
        run_ingest(opened, corpus, open_source(pages), Options())


def vacuum(home: str, corpus: str) -> None:
    with workspace(home) as opened:
        done = vacuum_corpus(opened, corpus, keep_epochs=1, keep_days=0)
        assert (done["remains"], done["lagging"]) == ([], [])


def drop(home: str, corpus: str) -> None:
    with workspace(home) as opened:
        done = drop_corpus(opened, corpus)
        assert (done["remains"], done["lagging"]) == ([], [])


def forget(home: str, page: str) -> None:
    with workspace(home) as opened:
        forget_page(opened, "law", page, None, "asked", "tester")


def rollback(home: str, corpus: str, number: int) -> None:
    with workspace(home) as opened:
        rollback_corpus(opened, corpus, number)


def backup(home: str, place: str) -> None:
    with workspace(home) as opened:
        back_up(opened, place, 2)


def restore(home: str, place: str) -> None:
    settings = Settings(home=Path(home), embedding_model="hashing", extractor="rules")
    restore_snapshot(settings, place)
