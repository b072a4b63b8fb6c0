"""Files that are no HTML, converted to it and then read as every page. Start at ``formats.py``."""
