"""Questions in SQL: to the recordings of a server, or to files by the command ``simtape``."""

from __future__ import annotations

import json
import os
import re
import tempfile
from array import array
from typing import Any, List, Mapping, Optional, Sequence, Union

from . import command
from .errors import UsageError
from .optional import needed
from .table import Column, Table
from .table_file import _CODES

Files = Union[str, "os.PathLike[str]", "Sequence[Union[str, os.PathLike[str]]]"]

#: Kinds of columns by the types of DuckDB; all others are texts.
_KINDS = {
    "DOUBLE": "f64",
    "FLOAT": "f32",
    "TINYINT": "i32",
    "SMALLINT": "i32",
    "INTEGER": "i32",
    "UTINYINT": "u8",
    "USMALLINT": "u32",
    "UINTEGER": "u32",
    "BIGINT": "i64",
    "UBIGINT": "bigint",
    "HUGEINT": "bigint",
    "UHUGEINT": "bigint",
    "BOOLEAN": "bool",
}


class Answer(Table):
    """The answer to a statement: typed columns, as of a :class:`Table`. ``time`` is in seconds, as SQL has it.

    ``truncated``: there are more rows than the limit. ``unread``: number of recordings that could not be read, whose rows
    are missing. ``problems``: why, as JSON.
    """

    def __init__(
        self, columns: Sequence[Column], truncated: bool = False, problems: Sequence[Mapping[str, Any]] = (), unread: int = 0
    ) -> None:
        super().__init__("sql", columns)
        self.truncated = truncated
        self.problems = list(problems)
        self.unread = unread

    def __repr__(self) -> str:
        return f"<Answer: {len(self)} rows, columns {', '.join(self.names)}>"

    def to_pandas(self, time: str = "s") -> Any:
        """A data frame. ``attrs["units"]`` has the unit of each column that has one. ``time`` is ``"s"`` always."""
        if time != "s":
            raise UsageError("an answer in SQL has time in seconds")
        pandas = needed("pandas")
        frame = pandas.DataFrame({column.name: column.to_numpy() for column in self.columns})
        frame.attrs["units"] = self.units
        return frame


def sql(files: Files, statement: str) -> Answer:
    """Answers one SELECT about recordings in files and folders, or at URLs, by the command ``simtape sql``.

    Raises :class:`CommandUsageError` or :class:`CommandError` for a statement that is wrong. Warns when a recording could
    not be read.

    >>> simtape.sql("runs", "select id, max(time) as last from vehicles group by id").to_pandas()      # doctest: +SKIP
    """
    paths = [files] if isinstance(files, (str, os.PathLike)) else list(files)
    words = [_path(os.fspath(path)) for path in paths]
    with tempfile.TemporaryDirectory(prefix="simtape-") as folder:
        out = os.path.join(folder, "answer.json")
        question = os.path.join(folder, "statement.sql")
        with open(question, "w", encoding="utf-8") as file:
            file.write(statement)
        report = command.run(["sql", *words, f"--query={question}", "-o", out, "--json"])
        with open(out, encoding="utf-8") as file:
            rows = [list(row.values()) for row in json.load(file)]
    return Answer(columns_of(report["columns"], rows), unread=report["unread"])


def _path(path: str) -> str:
    """The path in a form that the command does not take for an option."""
    return os.path.join(".", path) if path.startswith("-") else path


def columns_of(columns: Sequence[Mapping[str, Any]], rows: Sequence[Sequence[Any]]) -> List[Column]:
    """Typed columns of rows of JSON. ``columns``: name, type and unit of each."""
    return [_column(one, [row[at] for row in rows]) for at, one in enumerate(columns)]


def _column(plain: Mapping[str, Any], cells: List[Any]) -> Column:
    kind = _kind(plain["type"])
    valid: Optional[bytearray] = bytearray(cell is not None for cell in cells)
    if kind in ("f64", "f32", "i64", "i32", "u32", "u8"):
        of = float if kind in ("f64", "f32") else int
        missing = float("nan") if of is float else 0
        # NaN and whole numbers above 2^53 are texts in JSON
        data: Any = array(_CODES[kind], (missing if cell is None else of(cell) for cell in cells))
    elif kind == "bigint":
        data = [None if cell is None else int(cell) for cell in cells]
    else:
        data = cells
    return Column(plain["name"], plain["unit"], kind, data, valid)


def _kind(type: str) -> str:
    if type.endswith("]"):
        return "list"
    return "f64" if re.match("DECIMAL", type) else _KINDS.get(type, "string")
