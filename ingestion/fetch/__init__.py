"""The one client that fetches from the web: whatever a page, a redirect or a name leads to, it stays within its limits.

Start at ``client.py``: one request, one reply, no exception for what a server does. ``guard.py`` decides which network
addresses may be reached and connects to those, ``bodies.py`` bounds what is read and unpacked, ``politeness.py`` has
what robots.txt and Retry-After ask.
"""

from clausegraph.ingestion.fetch.addresses import host_of, joined, normalised
from clausegraph.ingestion.fetch.client import Validators, WebClient, WebReply, followed
from clausegraph.ingestion.fetch.guard import WebLimits

__all__ = ["Validators", "WebClient", "WebLimits", "WebReply", "followed", "host_of", "joined", "normalised"]
