"""Run with `python -m unittest discover -s worker -p '*_test.py'`; needs no package beside Python."""

import asyncio
import hashlib
import http.server
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import unittest

import handler

HERE = pathlib.Path(__file__).parent


def job(**job_input):
    return {"id": "a", "input": job_input}


def plain(value):
    return asyncio.run(handler.plain_output(value))


async def collected(generator):
    return [chunk async for chunk in generator]


class Plain(unittest.TestCase):
    def test_echo_and_sleep_give_their_value(self):
        self.assertEqual(plain(job(op="echo", value={"a": [None]})), {"value": {"a": [None]}})
        self.assertEqual(plain(job(op="echo")), {"value": None})
        self.assertEqual(plain(job(op="sleep", ms=1, value=2)), {"value": 2})

    def test_what_cannot_be_done_raises(self):
        wrong = [job(op="fail", message="m"), job(op="nonsense"), job(), {"id": "a", "input": {}}]
        wrong += [job(op="sleep", ms=value) for value in (-1, 1.5, "1", True, None)]
        for each in wrong:
            with self.subTest(each), self.assertRaises(handler.Raised):
                plain(each)

    def test_fail_raises_its_message(self):
        with self.assertRaisesRegex(handler.Raised, "^boom$"):
            plain(job(op="fail", message="boom"))

    def test_whoami_tells_the_storage_and_hides_the_secret(self):
        config = {"accessId": "i", "accessSecret": "s", "bucketName": "b", "endpointUrl": "u"}
        told = plain({**job(op="whoami"), "attempt": 3, "s3Config": config})
        secret = hashlib.sha256(b"s").hexdigest()
        s3 = {"accessId": "i", "bucketName": "b", "endpointUrl": "u", "accessSecretSha256": secret}
        self.assertEqual(told, {"jobId": "a", "attempt": 3, "s3": s3})
        self.assertIsNone(plain({**job(op="whoami"), "attempt": 1})["s3"])

    def test_a_call_of_openai_gets_an_object(self):
        called = {"openai_route": "/v1/chat/completions", "openai_input": {}}
        self.assertEqual(plain({"id": "a", "input": called})["object"], "chat.completion")


class WithState(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        os.environ["CONFORMANCE_STATE"] = directory.name
        self.addCleanup(os.environ.pop, "CONFORMANCE_STATE")


class Attempts(WithState):
    def test_are_counted_where_the_service_does_not_tell_them(self):
        for attempt in (1, 2):
            with self.assertRaisesRegex(handler.Raised, f"attempt {attempt} of 2"):
                plain(job(op="flaky", failures=2))
        self.assertEqual(plain(job(op="flaky", failures=2, value=7)), {"value": 7, "attempt": 3})
        self.assertEqual(plain({**job(op="whoami"), "id": "b"})["attempt"], 1)

    def test_are_what_the_service_tells(self):
        told = {**job(op="flaky", failures=2), "attempt": 3}
        self.assertEqual(plain(told), {"value": None, "attempt": 3})


class Chunks(unittest.TestCase):
    def test_stream_counts(self):
        told = job(op="stream", count=3, intervalMs=1)
        wanted = [{"index": 0}, {"index": 1}, {"index": 2}]
        self.assertEqual(asyncio.run(collected(handler.stream_handler(told))), wanted)

    def test_text_is_the_alphabet_in_pieces(self):
        told = job(op="text", bytes=100, chunks=3, intervalMs=0)
        pieces = asyncio.run(collected(handler.stream_handler(told)))
        self.assertEqual(len(pieces), 3)
        self.assertEqual("".join(piece["text"][0] for piece in pieces), (handler.ALPHABET * 4)[:100])
        self.assertEqual([piece["output_tokens"] for piece in pieces], [33, 33, 34])

    def test_another_op_is_one_chunk(self):
        told = job(op="echo", value=1)
        self.assertEqual(asyncio.run(collected(handler.stream_handler(told))), [{"value": 1}])


class LedgerServer(http.server.ThreadingHTTPServer):
    """Keeps the entries that it is sent, and answers each with an error."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), self.Keep)
        self.entries = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}/ledger"

    class Keep(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            self.server.entries.append(json.loads(body))
            self.send_error(500)

        def log_message(self, *_words):
            pass


class Ledger(WithState):
    def setUp(self):
        super().setUp()
        self.server = LedgerServer()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)

    def told(self):
        return [(entry["jobId"], entry["attempt"], entry["event"]) for entry in self.server.entries]

    def test_is_told_of_each_attempt(self):
        flaky = job(op="flaky", failures=1, value=7, ledger=self.server.url)
        with self.assertRaises(handler.Raised):
            asyncio.run(handler.plain_handler(flaky))
        self.assertEqual(
            asyncio.run(handler.plain_handler(flaky)), {"value": 7, "attempt": 2}
        )
        self.assertEqual(
            self.told(), [("a", 1, "start"), ("a", 1, "end"), ("a", 2, "start"), ("a", 2, "end")]
        )
        self.assertIn(str(os.getpid()), self.server.entries[0]["worker"])

    def test_is_told_of_what_streams(self):
        streamed = job(op="stream", count=2, intervalMs=0, ledger=self.server.url)
        self.assertEqual(len(asyncio.run(collected(handler.stream_handler(streamed)))), 2)
        self.assertEqual([event for _, _, event in self.told()], ["start", "end"])

    def test_may_be_out_of_reach(self):
        for url in ("http://127.0.0.1:1/", "no url", 7):
            with self.subTest(url):
                echo = job(op="echo", value=1, ledger=url)
                self.assertEqual(asyncio.run(handler.plain_handler(echo)), {"value": 1})


class Start(unittest.TestCase):
    def test_the_mode_chooses_the_handler(self):
        self.assertIs(handler.configuration({})["handler"], handler.plain_handler)
        streaming = handler.configuration({"CONFORMANCE_MODE": "stream"})
        self.assertIs(streaming["handler"], handler.stream_handler)
        several = handler.configuration({"CONFORMANCE_CONCURRENCY": "5"})
        self.assertEqual(several["concurrency_modifier"](1), 5)

    def test_wrong_settings_are_refused(self):
        for name, value in (("CONFORMANCE_MODE", "both"), ("CONFORMANCE_CONCURRENCY", "0")):
            with self.subTest(name), self.assertRaisesRegex(SystemExit, name):
                handler.configuration({name: value})

    def test_crash_ends_the_process(self):
        code = "import asyncio, handler; asyncio.run(handler.plain_output({'id': 'a', 'input': {'op': 'crash'}}))"
        ended = subprocess.run([sys.executable, "-c", code], cwd=HERE, check=False)
        self.assertEqual(ended.returncode, 3)

    def test_the_image_file_copies_what_it_runs(self):
        text = (HERE / "Dockerfile").read_text(encoding="utf-8")
        for name in re.findall(r"^COPY (\S+) ", text, re.MULTILINE):
            self.assertTrue((HERE / name).exists(), name)
        self.assertIn('CMD ["python", "-u", "handler.py"]', text)


if __name__ == "__main__":
    unittest.main()
