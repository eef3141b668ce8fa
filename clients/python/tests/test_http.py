import email.utils
import json
import os
import tempfile
import time
import unittest

import simtape
from simtape.http import Connection, searched

from .fake_server import Answer, FakeServer, Request, in_turn


def problem(status: int, **headers: str) -> Answer:
    body = {"type": "about:blank", "title": "No", "status": status, "detail": f"no {status}", "request": "r1"}
    return Answer(status, json.dumps(body).encode(), headers)


class Attempts(unittest.TestCase):
    def connect(self, server: FakeServer, **options: object) -> Connection:
        self.slept = []
        return Connection(server.url, sleep=self.slept.append, **options)

    def test_a_refused_request_is_sent_again_after_the_time_that_the_server_says(self):
        for status in (429, 503):
            for method in ("GET", "POST"):
                with FakeServer(in_turn(problem(status, **{"Retry-After": "7"}), Answer(body=b'{"a":1}'))) as server:
                    self.assertEqual(self.connect(server).json(method, "/x"), {"a": 1})
                    self.assertEqual(self.slept, [7])
                    self.assertEqual(len(server.requests), 2)

    def test_the_time_may_be_a_date(self):
        date = email.utils.formatdate(time.time() + 20, usegmt=True)
        with FakeServer(in_turn(problem(503, **{"Retry-After": date}), Answer())) as server:
            self.connect(server).json("GET", "/x")
            self.assertAlmostEqual(self.slept[0], 20, delta=2)

    def test_a_time_longer_than_the_longest_wait_is_an_error_at_once(self):
        with FakeServer(in_turn(problem(429, **{"Retry-After": "61"}))) as server:
            with self.assertRaises(simtape.TooManyRequests) as caught:
                self.connect(server).json("GET", "/x")
            self.assertEqual((caught.exception.retry_after, self.slept, len(server.requests)), (61, [], 1))

    def test_attempts_end(self):
        with FakeServer(in_turn(problem(503))) as server:
            with self.assertRaises(simtape.Unavailable):
                self.connect(server, attempts=3).json("GET", "/x")
            self.assertEqual((len(server.requests), self.slept), (3, [0.5, 1.0]))

    def test_what_may_have_been_carried_out_is_not_sent_again(self):
        for answer, error in ((problem(502), simtape.Unavailable), (Answer(cut=0), simtape.ConnectionProblem)):
            with FakeServer(in_turn(answer)) as server:
                with self.assertRaises(error):
                    self.connect(server).json("POST", "/x", body={})
                self.assertEqual(len(server.requests), 1)
            with FakeServer(in_turn(answer, Answer(body=b"[3]"))) as server:
                self.assertEqual(self.connect(server).json("GET", "/x"), [3])

    def test_a_server_that_does_not_run_is_one_error(self):
        with FakeServer(in_turn(Answer())) as server:
            url = server.url
        with self.assertRaisesRegex(simtape.ConnectionProblem, "cannot be reached"):
            Connection(url, attempts=2, sleep=lambda _: None).json("GET", "/x")

    def test_a_cut_answer_is_never_taken_for_a_whole_one(self):
        with FakeServer(in_turn(Answer(body=b"[1, 2]  ", cut=6))) as server:
            with self.assertRaises(simtape.ConnectionProblem):
                self.connect(server, attempts=2).json("GET", "/x")


class Problems(unittest.TestCase):
    def test_each_status_has_its_error(self):
        expected = {
            400: simtape.UsageError,
            401: simtape.Unauthorized,
            403: simtape.Forbidden,
            404: simtape.NotFound,
            409: simtape.Conflict,
            410: simtape.NotFound,
            422: simtape.Undecodable,
            500: simtape.ServerProblem,
        }
        for status, error in expected.items():
            with FakeServer(in_turn(problem(status))) as server:
                with self.assertRaisesRegex(error, f"^no {status}$") as caught:
                    Connection(server.url).json("GET", "/x")
                self.assertIsInstance(caught.exception, simtape.ServerProblem)
                self.assertEqual((caught.exception.status, caught.exception.request), (status, "r1"))

    def test_an_error_of_a_proxy_has_no_document(self):
        with FakeServer(in_turn(Answer(500, b"<html>"))) as server:
            with self.assertRaisesRegex(simtape.ServerProblem, "^the server answered 500 Internal Server Error$"):
                Connection(server.url).json("GET", "/x")


class Requests(unittest.TestCase):
    def test_a_token_goes_to_its_server_and_to_no_other(self):
        with FakeServer(in_turn(Answer())) as other:
            with FakeServer(in_turn(Answer(302, b"", {"Location": f"{other.url}/there"}))) as server:
                Connection(server.url, "simtape_secret").json("GET", "/x")
                self.assertEqual(server.requests[0].headers["Authorization"], "Bearer simtape_secret")
            self.assertEqual(other.requests[0].path, "/there")
            self.assertNotIn("simtape_secret", str(other.requests[0]))

    def test_a_query_repeats_the_name_of_a_list(self):
        self.assertEqual(searched({"a": ["x/y", "z"], "b": None, "c": True, "d": 1.5}), "?a=x%2Fy&a=z&c=true&d=1.5")
        self.assertEqual(searched({}), "")

    def test_addresses_and_tokens_that_are_none_are_refused(self):
        for url in ("file:///etc/passwd", "example.org", "http://", "http://a/?q=1"):
            with self.assertRaises(simtape.UsageError):
                simtape.Client(url)
        with self.assertRaises(simtape.UsageError):
            simtape.Client("http://a", token="a\r\nb: c")


class Downloads(unittest.TestCase):
    CONTENT = bytes(range(256)) * 4000

    def serve(self, cut: int, etags=('"1"', '"1"')):
        answers = iter(etags)

        def answer(request: Request) -> Answer:
            etag = next(answers)
            begin = 0
            given = request.headers.get("Range")
            if given is not None and request.headers["If-Range"] == etag:
                begin = int(given[len("bytes=") : -1])
            status = 206 if begin > 0 else 200
            is_cut = given is None
            return Answer(status, self.CONTENT[begin:], {"ETag": etag}, cut if is_cut else None)

        return FakeServer(answer)

    def test_a_download_that_breaks_continues_where_it_was(self):
        with self.serve(700_001) as server:
            self.assertEqual(Connection(server.url).content("/data"), self.CONTENT)
            self.assertEqual(server.requests[1].headers["Range"], "bytes=700001-")

    def test_a_file_that_changes_meanwhile_is_an_error_and_no_mixture(self):
        with tempfile.TemporaryDirectory() as folder, self.serve(700_001, ('"1"', '"2"')) as server:
            with self.assertRaisesRegex(simtape.ConnectionProblem, "changed"):
                Connection(server.url).download("/data", os.path.join(folder, "x.log"))
            self.assertEqual(os.listdir(folder), [])

    def test_a_file_appears_when_it_is_complete(self):
        with tempfile.TemporaryDirectory() as folder, self.serve(10**9) as server:
            path = os.path.join(folder, "x.log")
            self.assertEqual(Connection(server.url).download("/data", path), len(self.CONTENT))
            with open(path, "rb") as file:
                self.assertEqual(file.read(), self.CONTENT)
            self.assertEqual(os.listdir(folder), ["x.log"])


class Pages(unittest.TestCase):
    @staticmethod
    def page(request: Request) -> Answer:
        cursor = int(request.path.split("cursor=")[1]) if "cursor=" in request.path else 0
        size = int(request.path.split("limit=")[1].split("&")[0])
        rows = [{"id": str(n)} for n in range(cursor, min(cursor + size, 250))]
        after = cursor + size if cursor + size < 250 else None
        return Answer(body=json.dumps({"recordings": rows, "cursor": after}).encode())

    def test_lists_are_read_page_by_page(self):
        with FakeServer(self.page) as server:
            client = simtape.Client(server.url)
            self.assertEqual([one.id for one in client.list()], [str(n) for n in range(250)])
            self.assertEqual(len(server.requests), 3)
            self.assertEqual(len(list(client.list(limit=120))), 120)
            self.assertEqual(len(server.requests), 5)
            self.assertEqual(list(client.list(limit=0)), [])
            self.assertEqual(next(client.find("pushback", with_="Amaya")).id, "0")
            self.assertEqual(server.requests[-1].path, "/api/recordings?q=pushback&with=Amaya&limit=100")


if __name__ == "__main__":
    unittest.main()
