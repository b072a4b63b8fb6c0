"""Statements that cannot both hold, and which of them a later one takes the place of: pure functions of assertions, and
their rows (``stored.py``)."""
