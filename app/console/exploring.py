"""The graph as a person explores it: search, what is around some entities, paths, and Cypher where Neo4j is there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from fastapi import Form, Query
from pydantic import BeforeValidator, Field
from starlette.responses import Response

from clausegraph.app.access.tokens import AccessRole
from clausegraph.app.api.parameters import EpochQuery
from clausegraph.app.api.problems import SCREENS, hinted
from clausegraph.app.api.replies import reply
from clausegraph.app.console.screen import TEMPLATES, OfScreen, Screen, router
from clausegraph.app.services.connections import DrawnFact, outline
from clausegraph.app.services.cypher import display, run_query, unpinned
from clausegraph.app.services.exploration import ALL, VALUE, Explored, explore, explore_path, find_entities, largest
from clausegraph.app.services.history import list_epochs
from clausegraph.app.services.records import NearFact, ShownRule
from clausegraph.core.errors import NotFoundError
from clausegraph.core.types import Modality

routes = router()
forms = router(forms=True)
_MOST = 150  # facts of the table, with their sentences, and rules
_DRAWN = 5000  # facts drawn at once
_FOUND = 20  # entities of a search
_SHORT = 40  # characters of a condition that a drawing has room for
_WORDS = 70  # characters of a rule that it has room for
_ROWS, _SECONDS = 500, 20.0  # of a Cypher query
_Name = Annotated[str, Query(max_length=500)]
_Number = Annotated[int, Field(ge=1, le=10**15)]
OptionalEpoch = Annotated[_Number | None, BeforeValidator(lambda text: text or None), Query()]  # "" in a form: now
_Page = Annotated[str, Query(max_length=5000)]
_QueryText = Annotated[str, Form(max_length=10_000)]


@routes.get("/c/{corpus}/graph")
async def graph(
    of: OfScreen,
    name: Annotated[list[_Name], Query(max_length=50)] = [],  # noqa: B006 - FastAPI copies it
    search: _Name = "", relation: _Name = "", kind: _Name = "", type: _Name = "", to: _Name = "", page: _Page = "",
    epoch: OptionalEpoch = None, draw: Annotated[str, Query(pattern="^(all)?$")] = "",
) -> Response:  # fmt: skip
    """What is stated and ruled around the named entities, of a page, or on the way from the first ``to`` another;
    else the entities that a search finds, or those of which the most is said.

    The table has so many facts and rules; ``draw=all`` draws more facts than that (:func:`drawn`).
    """
    asked: dict[str, Any] = {"relation": relation, "kind": kind, "type": type, "to": to.strip(), "page": page}
    found: dict[str, Any] = {"seen": None, "near": [], "largest": [], "lost": "", "drawing": None}
    try:
        if name and asked["to"]:
            found["seen"] = await of.run(explore_path, name[0], asked["to"], epoch)
        elif name or page:
            narrowed = {"relation": relation, "kind": kind, "type_": type, "page": page or None, "epoch": epoch}
            found["seen"] = await of.run(explore, name, limit=_MOST, **narrowed)
    except NotFoundError as error:  # an entity or the page: a lost epoch is told below
        found["lost"] = hinted(error.afar, SCREENS)
    found["epochs"] = await of.run(list_epochs)
    if seen := found["seen"]:
        found["drawing"] = drawing(seen)
    elif search.strip():
        found["near"] = [(one, one.written) for one in await of.run(find_entities, search, limit=_FOUND, epoch=epoch)]
    if not seen and not found["near"]:
        found["largest"] = await of.run(largest, epoch)
    asked |= {"names": name, "search": search, "epoch": epoch, "draw": draw, "most": _MOST, "most_drawn": _DRAWN}
    limits = {"all": ALL, "value": VALUE, "cypher": _may_query(of)}
    return of.html("graph.html", 404 if found["lost"] else 200, screen="graph", **found, **asked, **limits)


@routes.get("/c/{corpus}/graph/drawn")
async def drawn(
    of: OfScreen,
    name: Annotated[list[_Name], Query(max_length=50)] = [],  # noqa: B006 - FastAPI copies it
    relation: _Name = "", page: _Page = "", epoch: EpochQuery = None,
) -> Response:  # fmt: skip
    """The facts to draw as JSON, as :func:`drawing` has them, and whether there are more."""
    only = None if relation in ("", ALL) else [relation]
    at, found, more = await of.run(outline, name, limit=_DRAWN, relations=only, page=page or None, epoch=epoch)
    return reply({"epoch": at, "more": more} | _drawn_of(found, [], {}, {}, set()), epoch=at)


def drawing(seen: Explored) -> dict[str, Any]:
    """What the drawing needs of what is seen.

    Returns:
        ``nodes``: key, name, sort ("entity", "value" or "rule") and kind of each; ``edges``: the row of the table that
        says it, the numbers of both nodes, and the name of the relation or role; ``focus``: the nodes it is around.
    """
    found = _drawn_of(seen.facts, seen.rules, seen.names, seen.types, set(seen.joined))
    keys = [node[0] for node in found["nodes"]]
    return found | {"focus": [keys.index(key) for key in seen.around if key in keys]}


def _drawn_of(
    facts: Sequence[NearFact] | Sequence[DrawnFact], rules: Sequence[ShownRule], names: Mapping[str, str],
    types: Mapping[str, str], joined: set[str],
) -> dict[str, Any]:  # fmt: skip
    """As :func:`drawing`; of a rule's roles, on a path, those of the entities that the path joins."""
    nodes: dict[str, tuple[int, list[str]]] = {}

    def number(key: str, shown: str, sort: str, kind: str) -> int:
        return nodes.setdefault(f"{sort} {key}", (len(nodes), [key, shown, sort, kind]))[0]

    def entity(key: str) -> int:
        return number(key, names.get(key, key), "entity", types.get(key, ""))

    edges = []
    for fact in facts:
        end = number(fact.object, fact.object, VALUE, VALUE) if fact.literal else entity(fact.object)
        edges.append([f"f-{fact.id}", entity(fact.subject), shown_relation(fact), end])
    for place, rule in enumerate(rules):
        words = rule.words if len(rule.words) <= _WORDS else rule.words[:_WORDS].rsplit(" ", 1)[0] + " …"
        of_rule = number(str(place), words, "rule", rule.kinds[0])
        roles = {role.entity: role.role for role in rule.roles if not joined or role.entity in joined}
        edges += [[f"r-{place}", of_rule, role, entity(key)] for key, role in roles.items()]
    return {"nodes": [node for _, node in nodes.values()], "edges": edges}


def shown_relation(fact: NearFact | DrawnFact) -> str:
    """A relation as a drawing names it, which has no room for the statements: with how they state or deny it, and when.

    A fact is its subject, relation and object alone; drawn as that, "is not taxed" would say the opposite, and the
    rates of two years would both hold.
    """
    told = [one.modality for one in fact.statements if one.modality != Modality.IS]
    told += ["not" for one in fact.statements if not one.polarity and one.modality == Modality.IS]
    told += ["is"] if told and len(told) < len(fact.statements) else []
    cases = list(dict.fromkeys(one.condition for one in fact.statements))
    if any(cases):
        told.append(f"if {cases[0]}" if len(cases) == 1 and len(cases[0]) <= _SHORT else "if …")
    return f"{fact.relation} ({', '.join(dict.fromkeys(told))})" if told else str(fact.relation)


TEMPLATES.globals["shown_relation"] = shown_relation


def _may_query(of: Screen) -> bool:
    """Whether Neo4j is connected and somebody may query it: a query sees each corpus of the database."""
    settings, who = of.held.workspace.settings, of.who
    return settings.neo4j_password is not None and who.role.covers(AccessRole.CURATOR) and who.corpora is None


@routes.get("/c/{corpus}/cypher")
async def cypher_form(of: OfScreen) -> Response:
    """Where a Cypher query is written, with examples and those that the browser keeps."""
    _check_query(of)
    return of.html("cypher.html", screen="graph")


@forms.post("/c/{corpus}/cypher")
async def cypher(of: OfScreen, query: _QueryText = "") -> Response:
    """The rows of a query that reads, as a part of the screen."""
    _check_query(of)
    found = await of.run(run_query, query, {}, epoch=None, limit=_ROWS, timeout=_SECONDS)
    rows = [[display(value) for value in row] for row in found.rows]
    return of.html("rows.html", found=found, rows=rows, most=_ROWS, note=unpinned(query))


def _check_query(of: Screen) -> None:
    if not _may_query(of):
        needs = "Neo4j (CLAUSEGRAPH_NEO4J_PASSWORD) and a curator's token of every corpus"
        raise NotFoundError(f"there is no Cypher here: it needs {needs}")
