"""One Airflow DAG per corpus of the settings' ``[corpora.NAME]``: plan → extract in batches → embed → publish → report.

Parsing this file reads the settings file and nothing else.
"""

from __future__ import annotations

from clausegraph.dags.building import ingest_dags

globals().update(ingest_dags())  # where Airflow looks for DAGs
