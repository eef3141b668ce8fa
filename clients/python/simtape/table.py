"""Tables: a recording as rows of typed columns."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from .errors import UsageError
from .optional import needed

TIMES = ("s", "ns", "timedelta", "utc")


class Column:
    """One column of a table.

    ``name``: ``position.x``. ``unit``: ``cm``, or None. ``kind``: f64, f32, i32, u32, u8, i64, bool, string, bigint or
    list. ``data``: the cells as an array of that kind, or a list for bool, string, bigint and list. ``valid``: 1 for each
    row that has a cell, else 0; None if all rows have one.

    A number that is missing is None, and one that was recorded as NaN is NaN. A table that came as npz, as tables usually
    do, has NaN for both: there both are None. Tables that came as Parquet or CSV, and answers in SQL, tell them apart.
    """

    def __init__(
        self, name: str, unit: Optional[str], kind: str, data: Sequence[Any], valid: Optional[Sequence[int]] = None
    ) -> None:
        self.name = name
        self.unit = unit
        self.kind = kind
        self.data = data
        self.valid = None if valid is None or _are_all(valid) else valid

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, row: int) -> Any:
        """The cell of a row; None if it is missing. See the class for numbers that are NaN."""
        if self.valid is not None and not self.valid[row]:
            return None
        cell = self.data[row]
        return cell.item() if hasattr(cell, "item") else cell

    def __iter__(self) -> Iterator[Any]:
        return (self[row] for row in range(len(self)))

    def __repr__(self) -> str:
        unit = "" if self.unit is None else f" [{self.unit}]"
        return f"<Column {self.name}{unit}: {len(self)} cells of {self.kind}>"

    def to_list(self) -> List[Any]:
        """The cells; None where a row has none. See the class for numbers that are NaN."""
        return list(self)

    def to_numpy(self) -> Any:
        """An array of the column's kind.

        Numbers of a column in which cells are missing are float64, with NaN for those. Texts and lists are objects, with
        None for missing cells, and so are booleans if cells are missing.
        """
        numpy = needed("numpy")
        if self.kind in _DTYPES:
            if self.valid is None:
                return numpy.asarray(self.data, dtype=_DTYPES[self.kind])
            array = numpy.array(self.data, dtype="float32" if self.kind == "f32" else "float64")
            array[~numpy.asarray(self.valid, dtype=bool)] = numpy.nan
            return array
        if self.kind == "bool" and self.valid is None:
            return numpy.array(self.data, dtype=bool)
        array = numpy.empty(len(self), dtype=object)
        for row, cell in enumerate(self):
            array[row] = cell
        return array


def _are_all(valid: Sequence[int]) -> bool:
    """Whether all are true; arrays of NumPy know it without a loop."""
    return bool(valid.all()) if hasattr(valid, "all") else all(valid)


_DTYPES = {
    "f64": "float64",
    "f32": "float32",
    "i64": "int64",
    "i32": "int32",
    "u32": "uint32",
    "u8": "uint8",
}


class Table:
    """Rows and typed columns of a set or a channel.

    ``of``: what the rows are about: ``vehicles``. ``columns``: in order. ``axes``: what positions and rotations mean, or
    None. ``findings``: damage in the part of the recording that was read.

    >>> table = recording.table("vehicles", columns=["position"])      # doctest: +SKIP
    >>> table["position.x"].unit                                       # doctest: +SKIP
    'cm'
    >>> table.to_pandas().groupby("id")["position.x"].max()            # doctest: +SKIP
    """

    def __init__(
        self,
        of: str,
        columns: Sequence[Column],
        axes: Optional[Mapping[str, Any]] = None,
        findings: Sequence[Mapping[str, Any]] = (),
        began: Callable[[], Optional[datetime]] = lambda: None,
    ) -> None:
        self.of = of
        self.columns = list(columns)
        self.axes = axes
        self.findings = list(findings)
        self._began = began

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.columns[0]) if self.columns else 0

    def __getitem__(self, name: str) -> Column:
        """The column of this name. Raises KeyError, which names the columns."""
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(f"no column {name!r}; there are {', '.join(self.names)}")

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __repr__(self) -> str:
        return f"<Table of {self.of}: {len(self)} rows, columns {', '.join(self.names)}>"

    @property
    def names(self) -> List[str]:
        """Names of the columns."""
        return [column.name for column in self.columns]

    @property
    def units(self) -> Dict[str, str]:
        """Unit of each column that has one."""
        return {column.name: column.unit for column in self.columns if column.unit is not None}

    def rows(self) -> Iterator[Tuple[Any, ...]]:
        """The rows as tuples; None for a missing cell. See :class:`Column` for numbers that are NaN."""
        return zip(*self.columns)

    def to_numpy(self, names: Optional[Sequence[str]] = None) -> Dict[str, Any]:
        """Arrays by the name of the column: all, or those of ``names``, of which ``position`` means its x, y and z.

        See :meth:`Column.to_numpy` for the types.
        """
        chosen = self.columns if names is None else _chosen(self.columns, names)
        return {column.name: column.to_numpy() for column in chosen}

    def to_pandas(self, time: str = "s") -> Any:
        """A data frame. ``attrs["units"]`` has the unit of each column.

        ``time``: what the column ``time`` has. ``"s"``: seconds since the start (float64). ``"ns"``: nanoseconds (int64).
        ``"timedelta"``: timedelta64[ns]. ``"utc"``: dates, if the recording knows when it began; else :class:`UsageError`.
        """
        if time not in TIMES:
            raise UsageError(f"time is one of {', '.join(TIMES)}, not {time!r}")
        pandas = needed("pandas")
        frame = pandas.DataFrame({column.name: column.to_numpy() for column in self.columns})
        units = self.units
        if "time" in frame.columns:
            frame["time"], units["time"] = self._times(frame["time"], time, pandas)
        frame.attrs["units"] = {name: unit for name, unit in units.items() if unit != ""}
        if self.axes is not None:
            frame.attrs["axes"] = self.axes
        return frame

    def _times(self, times: Any, unit: str, pandas: Any) -> Tuple[Any, str]:
        if unit == "ns":
            return times, "ns"
        if unit == "s":
            return times / 1e9, "s"
        steps = pandas.to_timedelta(times, unit="ns")
        if unit == "timedelta":
            return steps, ""
        began = self._began()
        if began is None:
            raise UsageError("the recording does not say when it began: use time='s'")
        return pandas.Timestamp(began) + steps, ""


def _chosen(columns: Sequence[Column], names: Sequence[str]) -> List[Column]:
    """Those of these names; ``position`` means ``position.x`` and so on. Raises KeyError, which names the columns."""
    unknown = [name for name in names if not any(_is_of(column.name, name) for column in columns)]
    if unknown:
        raise KeyError(f"no column {unknown[0]!r}; there are {', '.join(column.name for column in columns)}")
    return [one for one in columns if any(_is_of(one.name, name) for name in names)]


def _is_of(column: str, name: str) -> bool:
    return column == name or column.startswith(f"{name}.")
