"""numpy and pandas, if they are installed."""

from __future__ import annotations

import importlib
from typing import Any, Optional


def found(name: str) -> Optional[Any]:
    """The module, or None if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def needed(name: str) -> Any:
    """The module. Raises ImportError, which says how to install it."""
    module = found(name)
    if module is None:
        raise ImportError(f"this needs {name}: pip install {name}, or apt-get install python3-{name}")
    return module
