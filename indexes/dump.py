"""The canonical dump of an epoch: sorted JSON lines without surrogate ids, epoch or run numbers.

Two states are the same if and only if their dumps are, and their vectors within a tolerance.
"""

from __future__ import annotations

from collections.abc import Iterator

from clausegraph.core.hashing import canonical_json
from clausegraph.core.serial import rule_to_json, statement_to_json
from clausegraph.indexes.graph.protocol import Graph
from clausegraph.indexes.ledger.schema import VECTOR_KINDS
from clausegraph.indexes.views import View


def dump_lines(view: View) -> list[str]:
    """Pages, chunks, facts, supports, rules, contradictions, merged names and vector keys of a view's epoch, sorted."""
    lines = [canonical_json(["corpus", view.corpus, view.model])]
    lines += [*_page_lines(view), *graph_lines(view.graph)]
    keys = ((kind, str(page or ""), ref) for kind in VECTOR_KINDS for page, ref in view.vectors(kind)[0])
    lines += [canonical_json(["vector", *key]) for key in keys]
    for kind, *pair in view.contradicting():
        sides = sorted([one.text, one.span.anchor, one.span.start, str(one.page)] for one in pair)
        lines.append(canonical_json(["contradiction", kind, *sides]))
    return sorted(lines)


def graph_lines(graph: Graph) -> list[str]:
    """Facts, supports, rules and merged names of a graph, sorted: a part of the dump."""
    lines = []
    facts: set[str] = set()
    for support in graph.all_supports():
        body = statement_to_json(support.statement)
        lines.append(
            canonical_json(["support", str(support.page), support.chunk_key, support.fact_id, support.extractor, body])
        )
        facts.add(support.fact_id)
    for fact in graph.facts(sorted(facts)):
        lines.append(canonical_json(["fact", fact.id, fact.subject, fact.relation, fact.object, fact.supports]))
    lines += [canonical_json(["entity", name, entity]) for name, entity in graph.names().items()]
    for one in graph.all_rules():
        body = rule_to_json(one.rule)
        lines.append(canonical_json(["rule", str(one.page), one.chunk_key, one.extractor, one.entities, body]))
    return sorted(lines)


def _page_lines(view: View) -> Iterator[str]:
    for page in view.page_keys():
        reading = view.reading(page)
        head = [reading.title, reading.url, reading.updated]
        yield canonical_json(
            ["page", str(page), head, [[e.anchor, e.html, e.lead_in, e.parent, e.headings] for e in reading.elements]]
        )
        for chunk in reading.chunks:
            yield canonical_json(["chunk", str(page), chunk.key, chunk.content_hash, chunk.text])
