"""The mock API as a graph lookup whose calls are built by rules; no model."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from clausegraph.core.errors import StoreUnavailable
from clausegraph.query.crag.kg.api.asked import TimedText
from clausegraph.query.crag.kg.api.client import ApiClient, ApiSession
from clausegraph.query.crag.kg.api.found import ApiFound
from clausegraph.query.crag.kg.api.rules import found_by_rules
from clausegraph.query.crag.kg.http import Endpoint, EndpointLimits
from clausegraph.query.crag.kg.references import kg_reference
from clausegraph.query.crag.types import Attributes, CragFault, CragFeedback, CragQuestion, KgFound

API_NAME = "CRAG API"


@dataclass(frozen=True, slots=True)
class ApiAddress:
    """Where the API is, and what a request to it may take."""

    url: str
    limits: EndpointLimits = field(default_factory=EndpointLimits)

    @contextmanager
    def session(self) -> Iterator[ApiSession]:
        """The calls of one look-up.

        Raises:
            SettingsError: the address is none.
        """
        with Endpoint(self.url, self.limits) as endpoint:
            yield ApiSession(ApiClient(endpoint).call)


class RuleLookup:
    """Asks what the form of the question says."""

    def __init__(self, api: ApiAddress) -> None:
        self._api = api

    def lookup(
        self, question: CragQuestion, attributes: Attributes, feedback: tuple[CragFeedback, ...] = ()
    ) -> KgFound:
        """Facts, and the answer where one of them is it.

        Raises:
            StoreUnavailable: the API did not answer.
        """
        domain = attributes.domain.value if attributes.domain else None
        for told in feedback:
            domain = told.value if told.fault is CragFault.DOMAIN and told.value else domain
        with self._api.session() as api:
            found = found_by_rules(TimedText(question.text, question.time), api, domain)
            if found is None and api.failure:
                raise StoreUnavailable(api.failure)
            return in_references(found, api)


def in_references(found: ApiFound | None, api: ApiSession) -> KgFound:
    """What was found with all calls; a fact is cited by the last call that gave something."""
    if found is None:
        return KgFound(calls=api.words, looked_into=api.functions)
    source = next((call.words for call in reversed(api.calls) if call.outcome == "found"), "")
    references = tuple(kg_reference(fact, API_NAME, source, found.entities) for fact in found.facts)
    return KgFound(references, api.words, found.entities, found.answer, api.functions)
