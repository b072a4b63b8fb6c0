"""Readers and a writer of one home, processes of their own: ``read HOME SEED``, ``write HOME SEED PUBLISHES VACUUMS``.

Each publish has a number, which every page says; so a view of two epochs at once, or of a part of one, would show.
A reader reads until it is told to end, by a line on its standard input, and prints how many views it looked at.
"""

import random
import select
import sys
import time
from pathlib import Path

from clausegraph.core.errors import NotFoundError
from clausegraph.core.models.embedding import HashingEmbedder
from clausegraph.indexes.corpora import get_corpus, list_epochs
from clausegraph.indexes.ledger.leases import run_lease
from clausegraph.indexes.ledger.store import Ledger, open_ledger, open_to_read
from clausegraph.indexes.vacuum import vacuum
from clausegraph.indexes.views import View, open_view
from clausegraph.ingestion.extract.rules.extractor import RuleExtractor
from clausegraph.ingestion.pipeline import Options, Tools, ingest
from clausegraph.ingestion.sources import open_source

CORPUS = "crowd"
PAGES = 3
PAUSE_S = 0.1


def write_pages(folder: Path, edition: int) -> None:
    """The pages of an edition; some stay out, so that pages come and go."""
    folder.mkdir(exist_ok=True)
    for number in range(PAGES):
        path = folder / f"{number}.html"
        text = f"You can get grant {number} if you are over {edition}."
        path.write_text(f"<html><body><main><h1>Grant {number}</h1><p>{text}</p></main></body></html>", "utf-8")
    extra = folder / "extra.html"
    if edition % 3:
        extra.write_text(f"<html><body><main><p>You must wait {edition} days.</p></main></body></html>", "utf-8")
    else:
        extra.unlink(missing_ok=True)


def publish(ledger: Ledger, folder: Path, edition: int) -> None:
    """Publish an edition: it becomes the epoch of that number."""
    write_pages(folder, edition)
    ingest(Tools(ledger, HashingEmbedder(16), RuleExtractor()), CORPUS, open_source(str(folder)), Options())


def look(view: View) -> None:
    """See that all of the view is of one edition: texts, facts, vectors, and which pages there are."""
    pages = view.page_keys()
    assert len(pages) == PAGES + bool(view.epoch % 3), (view.epoch, pages)
    said = {page: [e for e in view.reading(page).elements if e.tag == "p"] for page in pages}
    for page, elements in said.items():
        assert [f" {view.epoch}" in e.text for e in elements] == [True], (view.epoch, page, elements)
    anchors = {element.anchor for page in pages for element in view.reading(page).elements}
    stated = {span.anchor for support in view.graph.all_supports() for span in support.statement.spans}
    assert stated and stated <= anchors, (view.epoch, stated - anchors)
    names, matrix = view.vectors("element")
    assert {ref for _, ref in names} == anchors and len(names) == len(set(names)), (view.epoch, names)
    hits = view.search("element", matrix[0], len(names) + 5)
    assert {(hit.page, hit.ref) for hit in hits} == set(names), (view.epoch, hits)


def read(home: Path, seed: int) -> int:
    """Look at views, one at least, until the end is asked for; returns how many."""
    draw, looked = random.Random(seed), 0
    with open_to_read(home) as ledger:
        while not looked or not select.select([sys.stdin], [], [], 0)[0]:
            epoch = None
            if draw.random() < 0.3:
                epoch = draw.choice(list_epochs(ledger, get_corpus(ledger, CORPUS).id)).number
            try:
                view = open_view(ledger, CORPUS, epoch)
            except NotFoundError:
                assert epoch is not None  # it was vacuumed since it was listed
                continue
            with view:
                for _ in range(draw.choice([1, 1, 2, 5])):
                    look(view)
            looked += 1
            time.sleep(draw.random() * PAUSE_S)  # leaves the processor to the others
    return looked


def write(home: Path, seed: int, publishes: int, vacuums: int) -> None:
    """Publish edition after edition, with vacuums at random moments between them."""
    draw = random.Random(seed)
    after = sorted(draw.choices(range(publishes), k=vacuums))
    with open_ledger(home) as ledger:
        corpus = get_corpus(ledger, CORPUS)
        for number in range(publishes):
            publish(ledger, home.parent / "pages", corpus.newest + number + 1)
            for _ in range(after.count(number)):
                with run_lease(ledger, corpus.id, "vacuum") as lease:
                    vacuum(ledger, get_corpus(ledger, CORPUS), lease, draw.randrange(1, 4), 0)


if __name__ == "__main__":
    if sys.argv[1] == "read":
        sys.stdout.write(f"{read(Path(sys.argv[2]), int(sys.argv[3]))}\n")
    else:
        write(Path(sys.argv[2]), *map(int, sys.argv[3:]))
