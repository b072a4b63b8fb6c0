"""The routes of the API, by what they are about."""

from clausegraph.app.api.routes import (
    answers,
    ask,
    decisions,
    evaluations,
    graph,
    history,
    pages,
    questions,
    system,
    web_answers,
)

ROUTERS = (
    system.router,
    ask.router,
    web_answers.router,
    answers.router,
    pages.router,
    graph.router,
    history.router,
    decisions.router,
    questions.router,
    evaluations.router,
)
