"""Reads the files of ``simtape table``: CSV with the standard library, Parquet with pyarrow."""

from __future__ import annotations

import csv
import json
import re
import sys
from array import array
from datetime import datetime
from itertools import islice
from typing import Any, Callable, Iterator, List, Mapping, Optional, Sequence, TextIO, Tuple

from .errors import TableError
from .npz import same_length
from .optional import found
from .table import Column, Table

#: Rows of CSV that are in memory as text at a time.
_ROWS = 4096

_CODES = {"f64": "d", "f32": "f", "i32": "i", "u32": "I", "u8": "B", "i64": "q"}
#: Columns of whole numbers; the library has them as float64.
_WHOLE = ("time", "sequence", "record", "id")


def best_format() -> str:
    """Parquet if pyarrow and numpy are installed; else CSV, from which this module makes columns."""
    return "parquet" if found("pyarrow") is not None and found("numpy") is not None else "csv"


def read_table(path: str, report: Mapping[str, Any], began: Callable[[], Optional[datetime]]) -> Table:
    """The table in a file. ``report``: what ``simtape table --json`` printed: of, axes, columns, findings.

    Raises :class:`TableError` for a file that is damaged, or is not the table of the report.
    """
    try:
        columns = _columns(path, report["columns"])
        same_length(columns)
        return Table(report["of"], columns, report.get("axes"), report.get("findings") or [], began)
    except TableError:
        raise
    except _DAMAGE as error:
        raise TableError(f"no table as simtape writes it: {path} ({type(error).__name__}: {error})") from error


#: What a file that is damaged, or is something else, makes of reading it; the errors of pyarrow are among them.
_DAMAGE = (csv.Error, ValueError, LookupError, TypeError, AttributeError, OverflowError, RuntimeError)


def _columns(path: str, columns: Sequence[Mapping[str, Any]]) -> List[Column]:
    if path.endswith(".parquet"):
        return _from_parquet(path, columns)
    # a text may be as long as a message
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    with open(path, encoding="utf-8", newline="") as text:
        return _from_csv(text, columns)


def _from_csv(text: TextIO, columns: Sequence[Mapping[str, Any]]) -> List[Column]:
    rows = csv.reader(text)
    header = next(rows, [])
    if len(header) != len(columns):
        raise TableError(f"the table has {len(header)} columns, and its report {len(columns)}")
    cells = [_Cells(one["kind"]) for one in columns]
    for some in _pieces(rows):
        if any(len(row) != len(columns) for row in some):
            raise TableError(f"a row of the table has not {len(columns)} cells")
        for column, texts in zip(cells, zip(*some)):
            column.add(texts)
    return [_column(one, *column.done(one["name"])) for one, column in zip(columns, cells)]


def _pieces(rows: Iterator[List[str]]) -> Iterator[List[List[str]]]:
    while True:
        some = list(islice(rows, _ROWS))
        if not some:
            return
        yield some


def _column(plain: Mapping[str, Any], kind: str, data: Sequence[Any], valid: Optional[Sequence[int]]) -> Column:
    return Column(plain["name"], plain["unit"], kind, data, valid)


class _Cells:
    """The cells of one column of CSV, made from text piece by piece."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.data: Any = array(_CODES[kind]) if kind in _CODES else []
        self.valid = bytearray()
        self._of: Callable[[str], Any] = float if kind in ("f64", "f32") else _WRITTEN.get(kind, int)

    def add(self, texts: Tuple[str, ...]) -> None:
        of = self._of
        if all(texts):
            self.valid.extend(b"\x01" * len(texts))
            self.data.extend(map(of, texts))
            return
        missing = float("nan") if self.kind in ("f64", "f32") else 0 if self.kind in _CODES else None
        self.valid.extend(map(bool, texts))
        self.data.extend(of(text) if text else missing for text in texts)

    def done(self, name: str) -> Tuple[str, Sequence[Any], Optional[bytearray]]:
        """Kind, cells and which of them exist."""
        is_all = all(self.valid)
        if self.kind == "f64" and name in _WHOLE and is_all and all(cell.is_integer() for cell in self.data):
            return "i64", array("q", map(int, self.data)), None
        return self.kind, self.data, None if is_all else self.valid


#: The beginning of a text that a spreadsheet would calculate; CSV has an apostrophe before it (docs/cli.md).
_GUARDED = re.compile("'[=+\\-@\t\n\uff1d\uff0b\uff0d\uff20]")


def _text(cell: str) -> str:
    return cell[1:] if _GUARDED.match(cell) else cell


_WRITTEN: Mapping[str, Callable[[str], Any]] = {
    "bool": lambda cell: cell == "true",
    "string": _text,
    "bigint": int,
    "list": lambda cell: json.loads(_text(cell)),
}


def _from_parquet(path: str, columns: Sequence[Mapping[str, Any]]) -> List[Column]:
    """Columns by pyarrow; whole numbers are INT64 in the file where the column is one of `_WHOLE`."""
    import pyarrow.parquet  # type: ignore[import-not-found]

    table = pyarrow.parquet.read_table(path)
    return [_from_arrow(one, table.column(at).combine_chunks()) for at, one in enumerate(columns)]


def _from_arrow(plain: Mapping[str, Any], cells: Any) -> Column:
    numpy = found("numpy")
    kind = "i64" if str(cells.type) == "int64" and plain["kind"] == "f64" else plain["kind"]
    valid = None if cells.null_count == 0 else cells.is_valid().to_numpy(zero_copy_only=False)
    if kind not in _CODES:
        return Column(plain["name"], plain["unit"], kind, cells.to_pylist(), valid)
    missing = float("nan") if kind in ("f64", "f32") else 0
    data = (cells if valid is None else cells.fill_null(missing)).to_numpy(zero_copy_only=False)
    return Column(plain["name"], plain["unit"], kind, numpy.asarray(data, dtype=f"{_NUMPY[kind]}"), valid)  # type: ignore[union-attr]


_NUMPY = {"f64": "f8", "f32": "f4", "i32": "i4", "u32": "u4", "u8": "u1", "i64": "i8"}
