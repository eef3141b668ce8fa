"""Times, tables and states, without a server and without the command."""

import io
import json
import math
import os
import tempfile
import unittest
import zipfile
from datetime import datetime, timedelta, timezone

import simtape
from simtape.errors import UsageError
from simtape.npz import read_npz
from simtape.optional import found
from simtape.sql import columns_of
from simtape.table_file import read_table
from simtape.times import time_text

numpy = found("numpy")
pandas = found("pandas")


class Times(unittest.TestCase):
    def test_numbers_are_seconds_and_lose_nothing(self):
        expected = {12.5: "12.5s", 3: "3s", 1e-9: "0.000000001s", 1e6: "1000000s", 0.1: "0.1s", -2: "-2s", 100: "100s"}
        for time, text in expected.items():
            self.assertEqual(time_text(time), text)

    def test_other_forms(self):
        self.assertEqual(time_text("50%"), "50%")
        self.assertEqual(time_text(timedelta(minutes=1, microseconds=5)), "60.000005s")
        zone = timezone(timedelta(hours=2))
        self.assertEqual(time_text(datetime(2026, 2, 1, 14, tzinfo=zone)), "2026-02-01T12:00:00Z")

    def test_what_is_no_time_is_refused(self):
        for bad in (float("nan"), float("inf"), True, datetime(2026, 2, 1)):
            with self.assertRaises(UsageError):
                time_text(bad)


COLUMNS = [
    {"name": "time", "unit": "ns", "kind": "f64"},
    {"name": "id", "unit": None, "kind": "f64"},
    {"name": "position.x", "unit": "cm", "kind": "f64"},
    {"name": "gear", "unit": None, "kind": "i32"},
    {"name": "on", "unit": None, "kind": "bool"},
    {"name": "label", "unit": None, "kind": "string"},
    {"name": "big", "unit": None, "kind": "bigint"},
    {"name": "list", "unit": None, "kind": "list"},
]
CSV = """time [ns],id,position.x [cm],gear,on,label,big,list
0,24,1.5,-1,true,"a ""b"", c",9007199254740993,"[1,2]"
1700000000000000000,25,,,,,,
50000000,24,-0,3,false,'=1+1,2,[]
"""
REPORT = {"of": "vehicles", "axes": {"up": "z"}, "columns": COLUMNS, "findings": []}


class Tables(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def table(self, text=CSV, report=REPORT, began=None):
        path = os.path.join(self.folder, "t.csv")
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        return read_table(path, report, lambda: began)

    def test_csv_becomes_typed_columns(self):
        table = self.table()
        cells = {column.name: column.to_list() for column in table.columns}
        self.assertEqual(cells["id"], [24, 25, 24])
        self.assertEqual(cells["position.x"], [1.5, None, 0])
        self.assertEqual(cells["gear"], [-1, None, 3])
        self.assertEqual(cells["on"], [True, None, False])
        self.assertEqual(cells["label"], ['a "b", c', None, "=1+1"])
        self.assertEqual(cells["big"], [9007199254740993, None, 2])
        self.assertEqual(cells["list"], [[1, 2], None, []])
        self.assertEqual(table.units, {"time": "ns", "position.x": "cm"})
        self.assertEqual(list(table.rows())[0][:4], (0, 24, 1.5, -1))
        self.assertEqual(len(table), 3)
        with self.assertRaisesRegex(KeyError, "there are time, id"):
            table["nope"]

    def test_more_rows_than_one_piece_and_none(self):
        head = CSV.split("\n")[0] + "\n"
        many = head + "".join(f"{n},1,{n / 8},{n},true,x,{n},[]\n" for n in range(10_000))
        self.assertEqual(self.table(many)["gear"].to_list(), list(range(10_000)))
        self.assertEqual(len(self.table(head)), 0)

    def test_a_report_of_another_table_is_refused(self):
        for kind in (ValueError, simtape.TableError):
            with self.assertRaisesRegex(kind, "8 columns, and its report 7"):
                self.table(report={**REPORT, "columns": COLUMNS[:7]})

    def test_a_damaged_table_is_an_error_of_the_package(self):
        head, row = CSV.split("\n")[0] + "\n", "0,24,1.5,-1,true,a,1,[]"
        for bad in (
            *(row.rsplit(",", 1)[0], f"{row},1", row.replace("24", "x"), row.replace("[]", "[1")),
            *(row.replace("-1", "99999999999"), row[:-2] + '"["'),
        ):
            for kind in (simtape.SimtapeError, ValueError):
                with self.assertRaises(kind, msg=bad):
                    self.table(f"{head}{row}\n{bad}\n")
        with self.assertRaises(simtape.TableError):
            read_table(self.file("t.csv", b"\xff\xfe"), REPORT, lambda: None)
        if found("pyarrow") is not None:
            with self.assertRaises(simtape.TableError):
                read_table(self.file("t.parquet", b"PAR1, and nothing else"), REPORT, lambda: None)

    def file(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(content)
        return path

    def test_a_number_that_is_nan_is_not_missing(self):
        text = CSV.replace("1.5", "NaN").replace("-0", "-Infinity")
        column = self.table(text)["position.x"]
        self.assertTrue(math.isnan(column[0]))
        self.assertEqual(column.to_list()[1:], [None, float("-inf")])
        self.assertTrue(math.isnan(next(self.table(text).rows())[2]))

    def test_nan_in_an_answer_in_sql(self):
        columns = [{"name": "x", "type": "DOUBLE", "unit": None}, {"name": "f", "type": "FLOAT", "unit": None}]
        x, f = columns_of(columns, [["NaN", 1], [None, None], ["Infinity", "NaN"]])
        self.assertTrue(math.isnan(x[0]) and math.isnan(f[2]))
        self.assertEqual((x.to_list()[1:], f.to_list()[:2]), ([None, float("inf")], [1, None]))

    @unittest.skipIf(numpy is None, "numpy is not installed")
    def test_numpy(self):
        arrays = self.table().to_numpy()
        self.assertEqual(arrays["id"].dtype, numpy.int64)
        self.assertEqual(arrays["gear"].dtype, numpy.float64)
        numpy.testing.assert_array_equal(arrays["gear"], [-1, numpy.nan, 3])
        numpy.testing.assert_array_equal(arrays["position.x"], [1.5, numpy.nan, 0])
        self.assertEqual(arrays["on"].tolist(), [True, None, False])
        self.assertEqual(list(self.table().to_numpy(["gear"])), ["gear"])

    @unittest.skipIf(pandas is None, "pandas is not installed")
    def test_pandas(self):
        began = datetime(2026, 2, 1, tzinfo=timezone.utc)
        table = self.table(began=began)
        frame = table.to_pandas()
        self.assertEqual(frame["time"].tolist(), [0, 1700000000.0, 0.05])
        self.assertEqual(frame.attrs["units"], {"time": "s", "position.x": "cm"})
        self.assertEqual(table.to_pandas("ns")["time"].tolist(), [0, 1700000000000000000, 50000000])
        self.assertEqual(table.to_pandas("timedelta")["time"][2], pandas.Timedelta("50ms"))
        self.assertEqual(table.to_pandas("utc")["time"][2], pandas.Timestamp("2026-02-01T00:00:00.05Z"))
        with self.assertRaisesRegex(UsageError, "does not say when it began"):
            self.table().to_pandas("utc")

    @unittest.skipIf(numpy is None, "numpy, which writes the file, is not installed")
    def test_npz_with_and_without_numpy(self):
        path = self.npz()
        self.check(read_npz(path, [], lambda: None))
        # the same by the reader of the standard library
        from simtape import npz

        usual, npz.found = npz.found, lambda _: None
        try:
            self.check(read_npz(path, [], lambda: None))
        finally:
            npz.found = usual

    def test_a_damaged_npz_is_an_error_of_the_package(self):
        metadata = {"of": "a", "columns": {"x": {"name": "x", "unit": None, "kind": "f64"}}}
        head = b"{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }".ljust(117) + b"\n"
        array = b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head
        whole = {"metadata.json": json.dumps(metadata).encode(), "x.npy": array + bytes(16)}
        texts = whole["x.npy"].replace(b"'<f8'", b"'<U4'")
        other = {**metadata["columns"], "y": {"name": "y", "unit": None, "kind": "f64"}}
        self.assertEqual(len(read_npz(self.zip(whole), [], lambda: None)), 2)
        cases = {
            "no zip": self.file("a.npz", b"nothing"),
            "cut": self.file("b.npz", self.bytes(whole)[:-30]),
            "flipped": self.file("c.npz", self.bytes(whole).replace(b"NUMPY", b"NUMPX")),
            "no metadata": self.zip({"x.npy": whole["x.npy"]}),
            "no array": self.zip({"metadata.json": whole["metadata.json"]}),
            "no JSON": self.zip({**whole, "metadata.json": b"{"}),
            "other JSON": self.zip({**whole, "metadata.json": b"[]"}),
            "no columns": self.zip({**whole, "metadata.json": b'{"columns": 1}'}),
            "no NumPy": self.zip({**whole, "x.npy": b"x"}),
            "no head": self.zip({**whole, "x.npy": array.replace(b"{", b"(") + bytes(16)}),
            "no type": self.zip({**whole, "x.npy": array.replace(b"<f8", b"<c8") + bytes(16)}),
            "few numbers": self.zip({**whole, "x.npy": array + bytes(8)}),
            "half a number": self.zip({**whole, "x.npy": array + bytes(12)}),
            "few letters": self.zip({**whole, "x.npy": texts}),
            "no letters": self.zip({**whole, "x.npy": texts[:-16] + b"\xff" * 32}),
            "other rows": self.zip(
                {
                    "metadata.json": json.dumps({**metadata, "columns": other}).encode(),
                    "x.npy": whole["x.npy"],
                    "y.npy": array.replace(b"(2,)", b"(1,)") + bytes(8),
                }
            ),
        }
        for name, path in cases.items():
            for kind in (simtape.SimtapeError, ValueError):
                with self.subTest(name), self.assertRaises(kind):
                    read_npz(path, [], lambda: None)

    def bytes(self, members):
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w") as file:
            for name, content in members.items():
                file.writestr(name, content)
        return made.getvalue()

    def zip(self, members):
        self.zips = getattr(self, "zips", 0) + 1
        return self.file(f"z{self.zips}.npz", self.bytes(members))

    def npz(self):
        arrays = {
            "time": numpy.array([0, 2**60 + 1, 5], "<i8"),
            "x": numpy.array([1.5, numpy.nan, -0.0], "<f8"),
            "gear": numpy.array([1, 0, -3], "<i4"),
            "gear.valid": numpy.array([True, False, True]),
            "on": numpy.array([True, False, True]),
            "label": numpy.array(["", "\U0001f600é", "abc"]),
            "even": numpy.array([[1, 2], [3, 4], [5, 6]], "<f4"),
            "ragged": numpy.array([7, 8, 9], "|u1"),
            "ragged.lengths": numpy.array([2, 0, 1], "<i8"),
            "utc": numpy.array([0, 1, 2], "<M8[us]"),
        }
        kinds = {"time": "f64", "x": "f64", "gear": "i32", "on": "bool", "label": "string", "even": "list"}
        kinds.update({"ragged": "list", "utc": "utc"})
        columns = {name: {"name": name, "unit": None, "kind": kind} for name, kind in kinds.items()}
        path = os.path.join(self.folder, "t.npz")
        with zipfile.ZipFile(path, "w") as file:
            file.writestr("metadata.json", json.dumps({"of": "vehicles", "columns": columns, "axes": None}))
            for name, array in arrays.items():
                member = io.BytesIO()
                numpy.save(member, array)
                file.writestr(f"{name}.npy", member.getvalue())
        return path

    def check(self, table):
        cells = {column.name: column.to_list() for column in table.columns}
        expected = {
            "time": [0, 2**60 + 1, 5],
            # a file has NaN for a missing number, too
            "x": [1.5, None, 0],
            "gear": [1, None, -3],
            "on": [True, False, True],
            "label": ["", "\U0001f600é", "abc"],
            "even": [[1, 2], [3, 4], [5, 6]],
            "ragged": [[7, 8], [], [9]],
        }
        self.assertEqual(cells, expected)


class States(unittest.TestCase):
    RAW = {
        "time": 1_500_000_000,
        "values": {"energy": "NaN", "name": "x"},
        "sets": {
            "vehicles": {
                "ids": [24, 25],
                "columns": {
                    "position": {"unit": "cm", "width": 3, "data": [1, 2, 3, 4, "Infinity", 6]},
                    "label": {"unit": None, "width": 1, "data": ["NaN", "hero"]},
                    "parent": {"unit": None, "width": 1, "data": ["NaN", 24]},
                },
            }
        },
        "findings": [],
    }

    def test_numbers_that_json_does_not_have_are_numbers_again(self):
        state = simtape.State(self.RAW)
        self.assertEqual(state.seconds, 1.5)
        self.assertNotEqual(state.values["energy"], state.values["energy"])
        vehicles = state.sets["vehicles"]
        self.assertEqual(vehicles.cell(25, "position"), (4, float("inf"), 6))
        self.assertEqual(vehicles.cell(24, "label"), "NaN")
        self.assertNotEqual(vehicles.cell(24, "parent"), vehicles.cell(24, "parent"))
        self.assertEqual(dict(state.numbers())["vehicles/25/position.x"], 4)
        with self.assertRaisesRegex(KeyError, "no 3 in vehicles"):
            vehicles.cell(3, "label")

    @unittest.skipIf(pandas is None, "pandas is not installed")
    def test_frames(self):
        frame = simtape.State(self.RAW).sets["vehicles"].to_pandas()
        self.assertEqual(frame.loc[25, "position.x"], 4)
        self.assertEqual(frame.attrs["units"]["position.z"], "cm")
        self.assertEqual(simtape.State(self.RAW).sets["vehicles"].to_numpy("position").shape, (2, 3))


if __name__ == "__main__":
    unittest.main()
