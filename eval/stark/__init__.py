"""Retrieval from semi-structured knowledge bases, as STaRK measures it."""
