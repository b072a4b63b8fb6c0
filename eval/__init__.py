"""Measures ingestion and query. Import as ``from eval.x import y``, never ``import eval``."""
