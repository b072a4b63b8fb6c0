"""Benchmarks: what ingestion, asking and the ledger cost. Run them with ``python -m benchmarks``."""
