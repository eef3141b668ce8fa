"""The state of a recording at one time."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple, Union

from .optional import needed

Id = Union[int, float, str]

_NUMBERS = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


class EntitySet:
    """The things of one kind, as columns: vehicles, particles, players.

    ``ids``: of the things, in the order of the rows. ``units``: of each column, or None. ``widths``: numbers in a cell.
    ``axes``: what positions and rotations mean, or None.

    >>> vehicles = recording.state(12.5).sets["vehicles"]      # doctest: +SKIP
    >>> vehicles.cell(24, "position")                          # doctest: +SKIP
    (46.05, 19.4, 0.3)
    """

    def __init__(self, name: str, plain: Mapping[str, Any]) -> None:
        self.name = name
        self.ids: List[Id] = list(plain["ids"])
        self.axes: Optional[Mapping[str, Any]] = plain.get("axes")
        self.units: Dict[str, Optional[str]] = {}
        self.widths: Dict[str, int] = {}
        self.columns: Dict[str, List[Any]] = {}
        for column, cells in plain["columns"].items():
            self.units[column] = cells["unit"]
            self.widths[column] = cells["width"]
            self.columns[column] = _numbers(cells["data"])

    def __len__(self) -> int:
        return len(self.ids)

    def __contains__(self, id: object) -> bool:
        return id in self.ids

    def __repr__(self) -> str:
        return f"<EntitySet {self.name}: {len(self.ids)} things, columns {', '.join(self.columns)}>"

    def cell(self, id: Id, column: str) -> Any:
        """A number or text, or a tuple of numbers for a column that is wider than one. Raises KeyError."""
        if id not in self.ids:
            raise KeyError(f"no {id!r} in {self.name}")
        row, width = self.ids.index(id), self.widths[column]
        cells = self.columns[column][row * width : (row + 1) * width]
        return cells[0] if width == 1 else tuple(cells)

    def to_numpy(self, column: str) -> Any:
        """An array of shape (things,), or (things, width) for a column that is wider than one."""
        numpy = needed("numpy")
        width = self.widths[column]
        array = numpy.array(self.columns[column], dtype=object if _is_text(self.columns[column]) else None)
        return array if width == 1 else array.reshape(len(self.ids), width)

    def to_pandas(self) -> Any:
        """A data frame with a row for each thing, ids as its index; ``position`` becomes ``position.x`` and so on."""
        pandas = needed("pandas")
        columns: Dict[str, Any] = {}
        units: Dict[str, str] = {}
        for name, cells in self.columns.items():
            for item, part in enumerate(parts_of(name, self.widths[name])):
                columns[part] = cells[item :: self.widths[name]]
                if self.units[name] is not None:
                    units[part] = str(self.units[name])
        frame = pandas.DataFrame(columns, index=pandas.Index(self.ids, name="id"))
        frame.attrs["units"] = units
        return frame


class State:
    """Values and sets at a time, as ``simtape state --json`` prints them.

    ``time``: nanoseconds since the start. ``values``: by name. ``sets``: of things, by name. ``findings``: damage in the
    part of the recording that was read. ``raw``: the JSON document.

    >>> state = recording.state("50%")                # doctest: +SKIP
    >>> state.values["energy.kinetic"]                # doctest: +SKIP
    >>> state.sets["vehicles"].to_pandas()            # doctest: +SKIP
    """

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.raw = raw
        self.time: int = raw["time"]
        self.values: Mapping[str, Any] = {name: _number(value) for name, value in raw["values"].items()}
        self.sets: Mapping[str, EntitySet] = {name: EntitySet(name, plain) for name, plain in raw["sets"].items()}
        self.findings: List[Mapping[str, Any]] = list(raw.get("findings") or [])

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return self.time / 1e9

    def __repr__(self) -> str:
        sets = ", ".join(f"{len(one)} {name}" for name, one in self.sets.items() if len(one) > 0)
        return f"<State at {self.seconds:g} s: {len(self.values)} values; {sets}>"

    def numbers(self) -> Iterator[Tuple[str, Any]]:
        """Every cell of every set as (path, value): ``vehicles/24/position.x``."""
        for name, things in self.sets.items():
            for column, cells in things.columns.items():
                parts = parts_of(column, things.widths[column])
                for row, id in enumerate(things.ids):
                    for item, part in enumerate(parts):
                        yield f"{name}/{id}/{part}", cells[row * len(parts) + item]


def parts_of(name: str, width: int) -> List[str]:
    """Names of the numbers in a cell, as tables have them: x, y, z, w, or indexes for more than four."""
    if width == 1:
        return [name]
    return [f"{name}.{'xyzw'[item] if width <= 4 else item}" for item in range(width)]


def _number(value: Any) -> Any:
    return _NUMBERS.get(value, value) if isinstance(value, str) else value


def _numbers(cells: List[Any]) -> List[Any]:
    """NaN and infinities are text in JSON. A column with any other text is a column of texts."""
    return cells if _is_text(cells) else [_number(cell) for cell in cells]


def _is_text(cells: List[Any]) -> bool:
    return any(isinstance(cell, str) and cell not in _NUMBERS for cell in cells)
