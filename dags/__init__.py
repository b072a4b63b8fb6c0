"""Airflow wiring; see README.md."""
