"""Comments by rules: the error of the route that the rejection implies."""

from __future__ import annotations

from collections.abc import Iterator

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.language.normalise import entity_key
from clausegraph.indexes.views import View
from clausegraph.query.retrieve.ego import ego_of
from clausegraph.query.retrieve.topics import Offer
from clausegraph.query.steps.protocol import (
    Acceptance,
    AskedKind,
    Feedback,
    FeedbackKind,
    Lack,
    LookedUp,
    Module,
    Route,
    StepNotes,
)
from clausegraph.query.steps.route import kind_of


class RuleCommentor:
    """Looks at the route before it looks at what was found: a wrong entity explains an empty intersection."""

    calls = 0

    def __init__(self, view: View) -> None:
        self.notes = StepNotes()
        self._view = view

    def comment(self, inquiry: Inquiry, offer: Offer, route: Route, found: LookedUp, judged: Acceptance) -> Feedback:
        """One error, and what it is about."""
        last = route.keys[-1] if route.topics else ""
        return next(self._errors(inquiry, offer, route, found, judged), Feedback(FeedbackKind.LACKING, last))

    def _errors(
        self, inquiry: Inquiry, offer: Offer, route: Route, found: LookedUp, judged: Acceptance
    ) -> Iterator[Feedback]:
        named = [topic.key for topic in offer.named]
        unnamed = [name for name in named if name not in route.keys]
        if not route.topics:
            yield Feedback(FeedbackKind.NO_ENTITY, offer.entities[0].key if offer.entities else "")
        if unnamed:
            yield from (Feedback(FeedbackKind.ENTITY_WRONG, key) for key in route.keys if not _is_meant(key, inquiry))
        if route.module is not Module.TEXT:
            yield from (
                Feedback(FeedbackKind.RELATION_WRONG, one) for one in route.relations if self._useless(one, route)
            )
        if found.met == 0 and len(route.topics) > 1:
            yield Feedback(FeedbackKind.EMPTY, route.keys[-1])
        yield from (Feedback(FeedbackKind.MISSING, name) for name in unnamed)
        if (route.kind is AskedKind.GATE) != (kind_of(inquiry) is AskedKind.GATE):
            yield Feedback(FeedbackKind.KIND_WRONG, kind_of(inquiry).value)
        if route.module is Module.TEXT or judged.lack is Lack.NOTHING_FOUND:
            yield Feedback(FeedbackKind.MODULE_WRONG, route.module.value)

    def _useless(self, relation: str, route: Route) -> bool:
        """Whether nothing lies along the relation at any topic."""
        return not any(ego_of(self._view, [key], [relation], radius=1).facts for key in route.keys)


class BareCommentor:
    """Says "wrong" and nothing else, as plain retrying does."""

    calls = 0

    def __init__(self) -> None:
        self.notes = StepNotes()

    def comment(self, inquiry: Inquiry, offer: Offer, route: Route, found: LookedUp, judged: Acceptance) -> Feedback:
        """No error in particular."""
        return Feedback(None)


def _is_meant(key: str, inquiry: Inquiry) -> bool:
    """Whether a word of the name stands in question or scenario."""
    return bool(set(entity_key(inquiry.text).split()) & set(key.split()))
