"""The routes of the API, by what they are about."""

from clausegraph.app.api.routes import ask, system

ROUTERS = (system.router, ask.router)
