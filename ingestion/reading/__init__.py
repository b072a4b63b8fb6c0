"""The read step's own room: a page to its reading, large pages in a process with limits. Start at ``pages.py``."""
