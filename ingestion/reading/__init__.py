"""A page to its reading, large ones in a process with limits. Start at ``process.py``."""
