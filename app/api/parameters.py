"""What routes are given: paths, queries, bodies, and the server that is asked."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Path, Query
from fastapi.dependencies.utils import get_flat_dependant
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict, Field
from starlette.convertors import IntegerConvertor, register_url_convertor
from starlette.requests import Request

from clausegraph.app.api.problems import ADDRESS, refusal
from clausegraph.core.inquiry import MAX_CHARACTERS
from clausegraph.indexes.hidden import LONGEST_REASON
from clausegraph.query.retrieve.bank import DEFAULT, RETRIEVERS

_LONGEST = 500
_LONGEST_ADDRESS = 2000
MOST_PAGES, MOST_ADDRESSES = 100, 20  # of a question

PageAddress = Annotated[str, Field(max_length=_LONGEST_ADDRESS, pattern=ADDRESS)]
CorpusPath = Annotated[str, Path(min_length=1, max_length=_LONGEST, description="Name of the corpus.")]
EpochQuery = Annotated[
    int | None, Query(alias="epoch", ge=1, le=10**15, description="A retained epoch; none: the published one.")
]
EpochNumber = Annotated[int | None, Query(ge=1, le=10**15)]  # of one of two epochs that are compared


class RequestBody(BaseModel):
    """What a request sends; a member that it does not know is refused."""

    model_config = ConfigDict(extra="forbid")


class QuestionBody(RequestBody):
    """A question, and who asks it."""

    question: str = Field(min_length=1, max_length=MAX_CHARACTERS)
    scenario: str = Field(default="", max_length=MAX_CHARACTERS, description="Who asks, in plain words.")


class AnswerBody(QuestionBody):
    """A question to be answered."""

    assumptions: dict[str, Literal["met", "unmet", "open"]] = Field(
        default_factory=dict,
        max_length=100,
        description="What is to be taken for granted, by the words of a condition of the answer.",
    )
    after: str | None = Field(
        default=None,
        max_length=40,
        description="Id of a kept answer that the question follows: its scenario goes on, and what was settled.",
    )
    engine: str | None = Field(default=None, max_length=100, description="What answers; none: that of the settings.")
    trace: bool = Field(default=False, description="Whether the answer has the engine's steps.")


class SentPageBody(RequestBody):
    """A page that is sent with a question."""

    url: PageAddress = Field(description="By which it is cited.")
    html: str = Field(description="The whole page.")
    name: str = Field(default="", max_length=_LONGEST, description="As a search calls it; none: its own title.")
    snippet: str = Field(default="", max_length=MAX_CHARACTERS, description="What a search shows of it.")
    modified: str = Field(default="", max_length=100, description="When it was last changed, in any form.")


class WebQuestionBody(RequestBody):
    """A question, and the pages it is to be answered from."""

    question: str = Field(min_length=1, max_length=MAX_CHARACTERS)
    pages: list[SentPageBody] = Field(default_factory=list, max_length=MOST_PAGES)
    addresses: list[PageAddress] = Field(
        default_factory=list, max_length=MOST_ADDRESSES, description="Of one page each, fetched if the server may."
    )
    at: str | None = Field(
        default=None, max_length=100, description="When it is asked, with the zone: 2024-03-05T10:00-08:00; none: now."
    )
    trace: bool = Field(default=False, description="Whether the answer has the engine's steps.")


class PassagesBody(QuestionBody):
    """A question whose passages are wanted."""

    retriever: str = Field(
        default=DEFAULT, max_length=100, json_schema_extra={"enum": [one.name for one in RETRIEVERS]}
    )
    budget: int | None = Field(default=None, ge=1, le=1_000_000, description="Word pieces; none: as the settings say.")
    limit: int = Field(default=20, ge=1, le=1000)


Reason = Annotated[str, Field(max_length=LONGEST_REASON, description="Why; the audit log keeps it.")]


class RollbackBody(RequestBody):
    """The epoch that readers are to get."""

    epoch: int = Field(ge=1, le=10**15)
    reason: Reason = ""


class TokenBody(RequestBody):
    """Whom a token is for, and what it opens."""

    name: str = Field(min_length=1, max_length=200)
    role: Literal["reader", "curator", "admin"] = "reader"
    corpora: list[Annotated[str, Field(min_length=1, max_length=_LONGEST)]] = Field(
        default_factory=list, max_length=1000, description="It is bound to these; none: every one."
    )
    days: float | None = Field(default=90.0, gt=0, le=36_525, description="For which it works; null: for good.")
    reason: Reason = ""


class ForgetBody(RequestBody):
    """The page that is to go for good, or, without `page`, all of a source."""

    source: str = Field(min_length=1, max_length=500)
    page: str | None = Field(default=None, min_length=1, max_length=2000, description="Its uri.")
    reason: str = Field(min_length=1, max_length=LONGEST_REASON, description="It is kept: leave out what goes.")


class MergeBody(RequestBody):
    """Two names of one entity, as pages write them."""

    name: str = Field(min_length=1, max_length=_LONGEST, description="The name that is taken for the other.")
    entity: str = Field(min_length=1, max_length=_LONGEST)


class SettleBody(RequestBody):
    """What a decision about two names is to be."""

    state: Literal["accepted", "rejected", "proposed"] = Field(description="proposed: as if nobody had decided.")


class VerdictBody(RequestBody):
    """What becomes of a run in quarantine."""

    state: Literal["accepted", "dropped"] = Field(description="accepted: what it had read is published.")


class DenyBody(RequestBody):
    """A name that is not what pages define."""

    name: str = Field(min_length=1, max_length=_LONGEST)


class ReviewBody(RequestBody):
    """Which proposals are wanted."""

    type: str | None = Field(default=None, min_length=1, max_length=_LONGEST, description="Of entities of this type.")
    limit: int = Field(default=50, ge=1, le=1000)


class HideBody(RequestBody):
    """Why a statement is wrong."""

    reason: str = Field(min_length=1, max_length=LONGEST_REASON)


# a number in a path: "PUT decisions/merge" is 405 then, as that is another path; int() refuses thousands of digits
_DIGITS = type("Digits", (IntegerConvertor,), {"regex": "[0-9]{1,16}"})
register_url_convertor("digits", _DIGITS())
AnswerPath = Annotated[str, Path(pattern="^[0-9a-f]{16}$", description="Its id.")]
DecisionPath = Annotated[int, Path(ge=1, le=10**15, description="Number of the decision.")]
RunPath = Annotated[str, Path(min_length=1, max_length=100, description="Id of the run.")]
StatementPath = Annotated[str, Path(pattern="^[0-9a-f]{4,64}$", description="Its id, or how only its id begins.")]
LimitQuery = Annotated[int, Query(ge=1, le=200, description="Items at most.")]
CursorQuery = Annotated[str | None, Query(max_length=8000, description="`next` of the part before.")]
NameQuery = Annotated[str, Query(min_length=1, max_length=2000)]
MaybeName = Annotated[str | None, Query(min_length=1, max_length=2000)]


async def known_query(request: Request) -> None:
    """Refuse a query that the route does not know, as a body's unknown member is: it would be ignored in silence."""
    route = request.scope.get("route")
    if not isinstance(route, APIRoute) or not route.path.startswith("/v1/"):
        return  # a probe of a load balancer asks what it likes
    known = {one.alias for one in get_flat_dependant(route.dependant).query_params}
    unknown = sorted(set(request.query_params) - known)
    if unknown:
        there = f"there are {', '.join(sorted(known))}" if known else "it takes none"
        said = f"query.{unknown[0][:80]}: no such parameter; {there}"
        raise refusal("RequestInvalid", 422, "Not of the described form", said)


_TITLES = {
    304: "The client has it already.",
    400: "Not understood.",
    401: "No token, or one that is unknown, revoked or expired.",
    403: "The token does not allow it.",
    404: "Not there.",
    409: "Not as things are.",
    413: "The body is too long.",
    421: "The server does not go by that name.",
    422: "Not of the described form.",
    429: "More requests than the token has in a minute.",
    500: "The server or its ledger failed.",
    502: "A server behind this one refused, or replied nonsense.",
    503: "Busy, ending, or a server behind this one does not answer.",
    504: "No answer in time.",
}
ALWAYS = (401, 403, 421, 422, 429, 500)
EVENTS = "text/event-stream"
STREAM: dict[int | str, dict[str, Any]] = {200: {"content": {EVENTS: {"schema": {"type": "string"}}}}}
OF_A_CORPUS = (*ALWAYS, 400, 404, 502, 503)


def statuses(*codes: int) -> dict[int | str, dict[str, Any]]:
    """The responses of a route beside 200, as OpenAPI has them: problem documents but for 304."""
    problem = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {
        code: {"description": _TITLES[code]} | ({} if code == 304 else {"content": problem}) for code in sorted(codes)
    }
