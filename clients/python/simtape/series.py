"""Numbers and texts over time."""

from __future__ import annotations

from array import array
from typing import Any, Iterator, List, Mapping, Optional, Sequence, Union, overload

from .optional import needed


class Series:
    """The values of one path over time.

    ``path``: ``vehicles/24/position.x``. ``unit``: or None. ``kind``: number, integer, boolean or text.
    ``interpolation``: ``hold`` if a value holds until the next. ``time``: nanoseconds since the start, ascending.
    ``value``: one for each time; None where there is no value.
    """

    def __init__(self, plain: Mapping[str, Any]) -> None:
        self.path: str = plain["path"]
        self.unit: Optional[str] = plain["unit"]
        self.kind: str = plain["kind"]
        self.interpolation: str = plain["interpolation"]
        self.time: List[int] = plain["time"]
        self.value: List[Union[float, str, None]] = plain["value"]

    @property
    def seconds(self) -> "array[float]":
        """The times in seconds since the start."""
        return array("d", [time / 1e9 for time in self.time])

    def __len__(self) -> int:
        return len(self.time)

    def __repr__(self) -> str:
        unit = "" if self.unit is None else f" [{self.unit}]"
        return f"<Series {self.path}{unit}: {len(self)} values>"

    def to_numpy(self) -> Any:
        """``(time, value)``: seconds as float64, and values as float64, NaN if missing; texts as objects.

        >>> t, x = recording.series("vehicles/24/position.x")[0].to_numpy()      # doctest: +SKIP
        """
        numpy = needed("numpy")
        time = numpy.array(self.time, dtype="float64") / 1e9
        if self.kind == "text":
            return time, numpy.array(self.value, dtype=object)
        return time, numpy.array([float("nan") if one is None else one for one in self.value], dtype="float64")

    def to_pandas(self) -> Any:
        """A pandas Series of the values; its index is the time in seconds."""
        pandas = needed("pandas")
        time, value = self.to_numpy()
        found = pandas.Series(value, index=pandas.Index(time, name="time"), name=self.path)
        found.attrs["unit"] = self.unit
        return found


class SeriesList(Sequence[Series]):
    """One series for each path, in the order of the paths. ``findings``: damage in the part that was read."""

    def __init__(self, series: Sequence[Series], findings: Sequence[Mapping[str, Any]] = ()) -> None:
        self._series = list(series)
        self.findings = list(findings)

    @overload
    def __getitem__(self, index: int) -> Series: ...
    @overload
    def __getitem__(self, index: slice) -> List[Series]: ...
    def __getitem__(self, index: Union[int, slice]) -> Union[Series, List[Series]]:
        return self._series[index]

    def __len__(self) -> int:
        return len(self._series)

    def __iter__(self) -> Iterator[Series]:
        return iter(self._series)

    def __repr__(self) -> str:
        return repr(self._series)

    def to_pandas(self) -> Any:
        """A data frame with a column for each path; the index is the time in seconds.

        It has a row for each time at which any of the series has one. A cell without a value there is NaN.
        """
        pandas = needed("pandas")
        # two moments of a series may be equal in seconds as float64: the last one counts
        columns = [one.to_pandas() for one in self._series]
        columns = [one[~one.index.duplicated(keep="last")] for one in columns]
        frame = pandas.concat(columns, axis=1).sort_index() if columns else pandas.DataFrame()
        frame.index.name = "time"
        frame.attrs["units"] = {one.path: one.unit for one in self._series if one.unit is not None}
        return frame
