"""What variables hold for settings of several values: lists as words, tables as JSON."""

from __future__ import annotations

import json
import re
from typing import Any, get_origin

from pydantic.fields import FieldInfo
from pydantic_settings import EnvSettingsSource

from clausegraph.core.errors import SettingsError


class Variables(EnvSettingsSource):
    """The environment, where a list is words with commas or spaces between them, or JSON, and a table is JSON."""

    def decode_complex_value(self, field_name: str, field: FieldInfo, value: Any) -> Any:
        """The list or table that a variable holds.

        Raises:
            SettingsError: it is neither; the message names the variable and shows the form.
        """
        text = str(value).strip()
        if is_list(field) and text[:1] not in ("[", "{", '"'):
            return [word for word in re.split(r"[,\s]+", text) if word]
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            variable = f"{self.env_prefix}{field_name.upper()}"
            raise SettingsError(
                f"setting {field_name!r} in {variable} is wrong: it must be {form(field)} (found {_shown(text)}); "
                f"write it as {variable}='{example(field)}'"
            ) from error


def is_list(field: FieldInfo) -> bool:
    """Whether a setting is a list of words."""
    return get_origin(field.annotation) is tuple


def form(field: FieldInfo) -> str:
    """How a variable holds a setting of several values."""
    return "words with commas or spaces between them" if is_list(field) else "JSON"


def example(field: FieldInfo) -> str:
    """A value of a setting of several values, as a variable holds it; empty for other settings."""
    return str(field.examples[0]) if field.examples else ""


def _shown(text: str) -> str:
    """A value in a message, cut where it is long."""
    return repr(text if len(text) <= 80 else f"{text[:79]}…")
