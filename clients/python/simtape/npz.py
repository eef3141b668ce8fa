"""Reads the tables of ``simtape export --to npz``: arrays of NumPy (NEP 1) in a zip, with or without numpy."""

from __future__ import annotations

import ast
import json
import math
import sys
import zipfile
import zlib
from array import array
from datetime import datetime
from typing import Any, Callable, List, Mapping, Optional, Sequence, Tuple

from .errors import TableError
from .optional import found
from .table import Column, Table

#: Types of numbers in the files: the code of `array`.
_CODES = {"<f8": "d", "<f4": "f", "<i4": "i", "<u4": "I", "|u1": "B", "|b1": "B", "<i8": "q"}


def read_npz(
    path: str, findings: Sequence[Mapping[str, Any]], began: Callable[[], Optional[datetime]]
) -> Table:
    """The table in a file. Raises :class:`TableError` for a file that is damaged, or is no such table.

    The file has NaN for a number that is missing, and for one that was recorded as NaN: both are missing here.
    """
    try:
        with zipfile.ZipFile(path) as file:
            facts = json.loads(file.read("metadata.json"))
            # the column of dates repeats the times; `to_pandas("utc")` makes it
            columns = [_column(file, name, one) for name, one in facts["columns"].items() if one["kind"] != "utc"]
        same_length(columns)
        return Table(facts["of"], columns, facts.get("axes"), findings, began)
    except TableError:
        raise
    except _DAMAGE as error:
        raise TableError(f"no table as simtape writes it: {path} ({type(error).__name__}: {error})") from error


#: What a file that is damaged, or is something else, makes of reading it.
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError),
    *(ValueError, SyntaxError, LookupError, TypeError, AttributeError, OverflowError),
)


def same_length(columns: Sequence[Column]) -> None:
    """Raises :class:`TableError` if some columns have other rows than the first."""
    for column in columns:
        rows = len(columns[0])
        if len(column) != rows or (column.valid is not None and len(column.valid) != rows):
            raise TableError(f"the column {column.name} has another number of rows than {columns[0].name}, {rows}")


def _column(file: zipfile.ZipFile, name: str, facts: Mapping[str, Any]) -> Column:
    dtype, shape, data = _array(file, name)
    valid = _array(file, f"{name}.valid")[2] if f"{name}.valid.npy" in file.namelist() else None
    kind = "i64" if dtype == "<i8" and facts["kind"] == "f64" else facts["kind"]
    if kind == "list":
        lengths = _array(file, f"{name}.lengths")[2] if len(shape) == 1 else [shape[1]] * shape[0]
        data = _lists(data, lengths)
    elif kind in ("f64", "f32"):
        valid = _numbers(data)
    elif kind in ("bool", "bigint"):
        data = [bool(one) if kind == "bool" else int(one) for one in data]
    return Column(facts["name"], facts["unit"], kind, data, valid)


def _numbers(data: Any) -> Sequence[int]:
    """1 for each number, 0 for NaN."""
    return bytearray(one == one for one in data) if isinstance(data, array) else data == data


def _array(file: zipfile.ZipFile, name: str) -> Tuple[str, Tuple[int, ...], Any]:
    """Type and shape of an array, and its items in one row."""
    content = file.read(f"{name}.npy")
    if content[:8] != b"\x93NUMPY\x01\x00":
        raise TableError(f"{name} is no array of NumPy, version 1.0")
    begin = 10 + int.from_bytes(content[8:10], "little")
    facts = ast.literal_eval(content[10:begin].decode("latin-1"))
    dtype, shape = facts["descr"], facts["shape"]
    count = math.prod(shape)
    items = memoryview(content)[begin:]
    if dtype.startswith("<U"):
        return dtype, shape, _texts(bytes(items), int(dtype[2:]), count)
    code = _CODES.get(dtype)
    if code is None:
        raise TableError(f"{name} has the type {dtype}, which no table has")
    if len(items) != count * int(dtype[2:]):
        raise TableError(f"{name} has {len(items)} bytes, which are not {count} numbers of the type {dtype}")
    numpy = found("numpy")
    if numpy is not None:
        # a copy: the items begin anywhere in the file
        return dtype, shape, numpy.frombuffer(items, dtype=dtype).copy()
    data = array(code)
    if data.itemsize != int(dtype[2:]):
        raise TableError(f"numbers of the type {dtype} have another size here: install numpy")
    data.frombytes(items)
    if sys.byteorder == "big":
        data.byteswap()
    return dtype, shape, data


def _texts(content: bytes, letters: int, count: int) -> List[str]:
    """Texts of fixed width, with zeros behind them."""
    text = content.decode("utf-32-le", "surrogatepass")
    if len(text) != letters * count:
        raise TableError(f"there are {len(text)} letters, which are not {count} texts of {letters}")
    return [text[at : at + letters].rstrip("\0") for at in range(0, count * letters, letters)]


def _lists(items: Any, lengths: Sequence[int]) -> List[List[Any]]:
    items = items.tolist() if hasattr(items, "tolist") else items
    lists = []
    at = 0
    for length in lengths:
        lists.append(list(items[at : at + length]))
        at += length
    if at != len(items):
        raise TableError(f"there are {len(items)} items, and lists of {at}")
    return lists
