"""What an address that pages are read from may be; its own module, since ``--help`` says it without the settings."""

from __future__ import annotations

from typing import Literal

WebMode = Literal["auto", "page", "site", "sitemap", "feed"]
