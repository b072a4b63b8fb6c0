"""Measures ingestion and query."""
