"""Two Airflow DAGs per corpus of the settings' ``[corpora.NAME]``: one ingests it, one evaluates what is published.

Parsing this file reads the settings file and nothing else.
"""

from __future__ import annotations

from clausegraph.dags.building import ingest_dags

globals().update(ingest_dags())  # where Airflow looks for DAGs
