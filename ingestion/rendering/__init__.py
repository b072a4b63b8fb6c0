"""Pages that only a browser can render, an optional extra: start at ``process.py``."""
