"""A corpus whose statements are written in its paragraphs: ``subject | relation | object | if condition``.

An object that begins with "=" is a literal, ``not`` before the relation makes the statement negative. A rule is
``rule | kind, kind | role entity | =value | if condition``; a paragraph before it that ends in a colon is its lead-in.
"""

import html
import itertools
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from clausegraph.core.extraction import Extraction, ExtractionInput, InputElement, extraction_inputs
from clausegraph.core.models.embedding import HashingEmbedder
from clausegraph.core.types import (
    AnyOf,
    Condition,
    Leaf,
    Literal,
    Mention,
    Modality,
    Not,
    Reading,
    Role,
    RoleName,
    Rule,
    RuleKind,
    Span,
    Statement,
)
from clausegraph.indexes.corpora import get_corpus
from clausegraph.indexes.derive import with_anchors
from clausegraph.indexes.entities.decisions import merge, undo
from clausegraph.indexes.graph.protocol import NO_PROJECTIONS, GraphProjection, Projections
from clausegraph.indexes.ledger.leases import run_lease
from clausegraph.indexes.ledger.store import open_ledger
from clausegraph.indexes.vacuum import vacuum
from clausegraph.ingestion.pipeline import Options, Tools, apply_decisions, ingest
from clausegraph.ingestion.sources import open_source


class Scripted:
    """Reads statements as they are written."""

    fingerprint = "scripted:1"

    def extract(self, chunk_input: ExtractionInput) -> Extraction:
        made: list[Statement] = []
        for element in chunk_input.elements:
            if not element.is_own or element.tag != "p":
                continue
            parts = [part.strip() for part in element.text.split(" | ")]
            if len(parts) < 3:
                continue
            if parts[0].endswith("rule"):
                continue
            subject, relation, target = parts[:3]
            said = [part[1:] for part in parts[3:] if part.startswith("~")]  # modality, wording, "you"
            forms = {str(one) for one in Modality}
            made.append(
                Statement(
                    Mention(subject, subject, written="you" if "you" in said else ""),
                    relation.removeprefix("not "),
                    Literal(target[1:]) if target.startswith("=") else Mention(target, target),
                    (Span(element.label, 0, len(element.text)),),
                    polarity=not relation.startswith("not "),
                    condition=_condition(element.label, element.text, [part for part in parts[3:] if part[:1] != "~"]),
                    effective_from="2026-01-01" if "2026" in element.text else None,
                    modality=next((Modality(one) for one in said if one in forms), Modality.IS),
                    wording=next((one for one in said if one not in {*forms, "you"}), ""),
                )
            )
        return Extraction(tuple(made))


def scripted_rules(reading: Reading) -> dict[Rule, str]:
    """Reads rules as they are written."""
    found: dict[Rule, str] = {}
    for chunk, (chunk_input, anchors) in zip(reading.chunks, extraction_inputs(reading), strict=True):
        for before, element in itertools.pairwise((None, *chunk_input.elements)):
            parts = [part.strip() for part in element.text.split(" | ")] if element is not None else []
            if element is not None and element.is_own and len(parts) > 2 and parts[0].endswith("rule"):
                found[with_anchors(_rule(element, before, parts), anchors)] = chunk.key
    return found


def _rule(element: InputElement, before: InputElement | None, parts: list[str]) -> Rule:
    leading = [before] if before is not None and before.text.endswith(":") else []
    named = [part.partition(" ") for part in parts[2:] if part.partition(" ")[0] in set(RoleName)]
    return Rule(
        tuple(map(RuleKind, parts[1].split(", "))),
        tuple(Span(one.label, 0, len(one.text)) for one in (element, *leading)),
        tuple(Role(RoleName(name), Mention(entity, entity)) for name, _, entity in named),
        tuple(Literal(part[1:], "amount") for part in parts[2:] if part.startswith("=")),
        condition=_condition(element.label, element.text, [p for p in parts if p.startswith(("if ", "unless "))]),
    )


def _condition(label: str, text: str, parts: list[str]) -> Condition | None:
    leaves = []
    for part in parts:
        words = part.removeprefix("if ").removeprefix("unless ")
        start = text.index(words)
        leaf = Leaf(label, start, start + len(words), words)
        leaves.append(Not(leaf) if part.startswith("unless ") else leaf)
    if not leaves:
        return None
    return leaves[0] if len(leaves) == 1 else AnyOf(tuple(leaves))


class Town:
    """A folder of scripted pages and the corpus that follows it."""

    projections: Projections = NO_PROJECTIONS

    def __init__(self, corpus: str = "town", address: str = "") -> None:
        self.corpus = corpus
        self.root = Path(tempfile.mkdtemp(prefix="town-"))
        self.folder = self.root / "pages"
        self.folder.mkdir()
        self.ledger = open_ledger(self.root / "home", address)

    @property
    def id(self) -> int:
        return get_corpus(self.ledger, self.corpus).id

    def write(self, name: str, *statements: str) -> None:
        body = "".join(f"<p>{html.escape(text)}</p>" for text in statements)
        page = f"<html><head><title>{name}</title></head><body><main><h1>{name}</h1>{body}</main></body></html>"
        (self.folder / f"{name}.html").write_text(page, encoding="utf-8")

    def remove(self, name: str) -> None:
        (self.folder / f"{name}.html").unlink()

    def tools(self) -> Tools:
        return Tools(
            self.ledger, HashingEmbedder(8), Scripted(), projections=self.projections, read_rules=scripted_rules
        )

    @contextmanager
    def taking_along(self, projection: GraphProjection, *, required: bool = True) -> Iterator[Projections]:
        """What is published meanwhile is published with this projection."""
        self.projections = Projections(projection, required)
        try:
            yield self.projections
        finally:
            self.projections = NO_PROJECTIONS

    def publish(self) -> int:
        """Mirror the folder; returns the newest epoch."""
        ingest(self.tools(), self.corpus, open_source(str(self.folder)), Options())
        return get_corpus(self.ledger, self.corpus).newest

    def take(self, name: str, entity: str) -> int:
        """Take a name for an entity, and publish that."""
        merge(self.ledger, get_corpus(self.ledger, self.corpus), name, entity, "tester")
        apply_decisions(self.tools(), self.corpus)
        return get_corpus(self.ledger, self.corpus).newest

    def untake(self, name: str) -> int:
        undo(self.ledger, get_corpus(self.ledger, self.corpus), name, "tester")
        apply_decisions(self.tools(), self.corpus)
        return get_corpus(self.ledger, self.corpus).newest

    def vacuum(self, keep: int = 1) -> None:
        corpus = get_corpus(self.ledger, self.corpus)
        with run_lease(self.ledger, corpus.id, "vacuum") as lease:
            vacuum(self.ledger, corpus, lease, keep, 0)

    def close(self) -> None:
        self.ledger.close()
        shutil.rmtree(self.root)
