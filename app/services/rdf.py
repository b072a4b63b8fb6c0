"""An epoch as RDF in N-Triples: pages, rules and statements as PROV-O entities, what they name as SKOS concepts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote

from clausegraph.app.services.records import object_text, quoted, rules_in_words, statement_words
from clausegraph.core.text import clean_xml
from clausegraph.core.types import LITERAL
from clausegraph.indexes.derive import object_key, statement_id

if TYPE_CHECKING:
    from clausegraph.indexes.views import View

NS = "urn:clausegraph:terms:"
_RDF, _LABEL = "http://www.w3.org/1999/02/22-rdf-syntax-ns#", "http://www.w3.org/2000/01/rdf-schema#label"
_TERMS, _PROV = "http://purl.org/dc/terms/", "http://www.w3.org/ns/prov#"
_SKOS, _TYPE = "http://www.w3.org/2004/02/skos/core#", f"{_RDF}type"
_ESCAPED = re.compile(r"[^ !#-\[\]-~]")  # quotes, backslashes, control characters, and all beyond ASCII
_Pairs = Iterable[tuple[str, str | None]]


def triple_lines(view: View) -> Iterator[str]:
    """The triples of an epoch, a line of ASCII each; what a corpus has is named after it."""
    iri = partial(_iri, "corpus:", view.corpus)
    for page in view.page_keys():
        reading = view.reading(page)
        texts = [("title", reading.title), ("modified", reading.updated), ("issued", reading.published)]
        said = [(_TERMS + name, text) for name, text in (*texts, ("source", reading.url))]
        yield from _lines(iri("page", str(page)), said, [(_TYPE, f"{_PROV}Entity")])
    names, known = view.graph.names(), dict[str, str]()
    for placed, rule in rules_in_words(view):
        known |= {role.entity: role.written for role in rule.roles if role.entity not in known}
        said = [(f"{_PROV}value", rule.words), (f"{NS}condition", rule.condition), (f"{NS}section", rule.section)]
        said += [(f"{NS}value", value.value) for value in rule.values]
        links = [(_TYPE, f"{_PROV}Entity"), (_TYPE, f"{NS}Rule"), (f"{_PROV}wasQuotedFrom", iri("page", rule.page))]
        links += [(f"{_TERMS}type", _iri("kind:", kind)) for kind in rule.kinds]
        links += [(NS + role.role, iri("entity", role.entity)) for role in rule.roles]
        links += [(NS + quote(link.link), iri("rule", rule.page, link.id)) for link in rule.links]
        links += [(f"{_PROV}wasAttributedTo", _iri("extractor:", placed.extractor))]
        yield from _lines(iri("rule", rule.page, rule.id), said, links)
    for support in view.graph.all_supports():
        one, said = support.statement, [(f"{NS}relation", support.statement.relation)]
        links = [(_TYPE, f"{_RDF}Statement"), (f"{_PROV}wasQuotedFrom", iri("page", str(support.page)))]
        for end, node, text in (
            ("subject", one.subject, one.subject.surface),
            ("object", one.object, object_text(one)),
        ):
            key = names.get(object_key(node), object_key(node))
            if key.startswith(LITERAL):
                said.append((_RDF + end, text))
            else:
                links.append((_RDF + end, iri("entity", key)))
                known.setdefault(key, text)
        sentences = " ".join(text for _, text in quoted(one.spans, view.reading(support.page)))
        said += [(_LABEL, statement_words(one)), (f"{_PROV}value", sentences)]
        yield from _lines(iri("statement", statement_id(support)), said, links)
    for key, written in known.items():
        others = [(f"{_SKOS}altLabel", name) for name, entity in names.items() if entity == key]
        said = [(f"{_SKOS}prefLabel", written), *others]
        yield from _lines(iri("entity", key), said, [(_TYPE, f"{_SKOS}Concept")])


def _lines(about: str, said: _Pairs, links: _Pairs) -> Iterator[str]:
    """Triples about one thing, first those that lead to texts; an empty text is none."""
    yield from (f'<{about}> <{name}> "{_ESCAPED.sub(_escape, clean_xml(text))}" .\n' for name, text in said if text)
    yield from (f"<{about}> <{name}> <{other}> .\n" for name, other in links)


def _escape(match: re.Match[str]) -> str:
    return f"\\U{ord(match[0]):08X}"


def _iri(what: str, *parts: str) -> str:
    return f"urn:clausegraph:{what}" + "/".join(quote(part, safe="", errors="replace") for part in parts)
