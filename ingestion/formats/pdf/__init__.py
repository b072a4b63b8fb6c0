"""PDF: letters to lines, lines to headings, paragraphs, items and tables. Start at ``convert.py``."""
