"""Open questions over web pages and knowledge graphs behind an API; start at ``engine.py`` (docs/crag.md)."""
