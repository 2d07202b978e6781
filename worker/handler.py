"""The conformance handler, version 1, as a worker of the package runpod.

CONFORMANCE_MODE chooses how it is started:

plain (default)  one coroutine for every op. It sends the chunks of `stream` and `text` with the
                 package's own function, so that every op conforms on one endpoint.
stream           an async generator for every op, with return_aggregate_stream. `stream` and `text`
                 conform by the documented way alone; any other op gives a list of one element.

CONFORMANCE_CONCURRENCY (default 1) is how many jobs one process works on at once, and
CONFORMANCE_STATE a directory that all workers of the endpoint share: it holds how often each job
was begun, where the service does not tell the attempt.

Where an input has a member `ledger`, a URL, each execution is reported there by one POST when it
begins and by another before it ends.
"""

import asyncio
import hashlib
import json
import os
import pathlib
import socket
import tempfile
import time
import urllib.request

ALPHABET = "abcdefghijklmnopqrstuvwxyz"
STORAGE_FIELDS = ("accessId", "bucketName", "endpointUrl")
STREAMING = ("stream", "text")
LEDGER_WITHIN_S = 2


class Raised(Exception):
    """Raised where an op is asked to fail, is unknown, or has a wrong input."""


def count(job_input, name):
    """Reads an integer of 0 or more from the input; raises Raised where it is none."""
    value = job_input.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise Raised(f"{job_input['op']}: {name} is not an integer of 0 or more")
    return value


def state_directory():
    given = os.environ.get("CONFORMANCE_STATE")
    directory = pathlib.Path(given or pathlib.Path(tempfile.gettempdir()) / "conformance-attempts")
    directory.mkdir(parents=True, exist_ok=True)
    return directory


def attempt_of(job):
    """The attempt, from 1: what the service says, else the number of calls for the job. Call it once per execution."""
    told = job.get("attempt")
    if isinstance(told, int):
        return told
    name = hashlib.sha256(job["id"].encode()).hexdigest()
    # One byte for each time: appending is atomic, so that workers need no lock.
    with open(state_directory() / name, "ab") as file:
        file.write(b".")
        file.flush()
        return file.tell()


def post(url, entry):
    """Posts an entry as JSON. Errors are ignored, since the job does not depend on it."""
    headers = {"content-type": "application/json"}
    if not url.startswith(("http://", "https://")):
        return
    try:
        request = urllib.request.Request(url, json.dumps(entry).encode(), headers, method="POST")
        urllib.request.urlopen(request, timeout=LEDGER_WITHIN_S).close()
    except (OSError, ValueError):
        pass


class Ledger:
    """Reports one execution to the URL that the input names, if it names one."""

    def __init__(self, job):
        self.url = (job.get("input") or {}).get("ledger")
        self.job = job

    async def __aenter__(self):
        if not isinstance(self.url, str):
            return self.job
        self.job = {**self.job, "attempt": attempt_of(self.job)}
        await self.tell("start")
        return self.job

    async def __aexit__(self, kind, _error, _trace):
        # An execution that is stopped from outside has no time to report its end.
        if isinstance(self.url, str) and (kind is None or issubclass(kind, Exception)):
            await self.tell("end")

    async def tell(self, event):
        entry = {
            "jobId": self.job["id"],
            "attempt": self.job["attempt"],
            "worker": f"{socket.gethostname()}-{os.getpid()}",
            "event": event,
            "atMs": int(time.time() * 1000),
        }
        await asyncio.to_thread(post, self.url, entry)


def storage_of(job):
    """The s3Config of a job, with the secret replaced by its hash."""
    config = job.get("s3Config")
    if not isinstance(config, dict):
        return None
    told = {field: config.get(field) for field in STORAGE_FIELDS}
    secret = config.get("accessSecret")
    if isinstance(secret, str):
        told["accessSecretSha256"] = hashlib.sha256(secret.encode()).hexdigest()
    return told


def text_piece(start, end):
    length = end - start
    shift = start % len(ALPHABET)
    repeated = ALPHABET * (length // len(ALPHABET) + 2)
    piece = repeated[shift : shift + length]
    return {"text": [piece], "input_tokens": 0, "output_tokens": length}


def chunk_at(job_input, index):
    if job_input["op"] == "stream":
        return {"index": index}
    total, pieces = job_input["bytes"], job_input["chunks"]
    return text_piece(total * index // pieces, total * (index + 1) // pieces)


async def chunks(job_input):
    """The chunks of `stream` and `text`; chunk i comes at (i + 1) intervals after the start."""
    number = count(job_input, "count" if job_input["op"] == "stream" else "chunks")
    interval = count(job_input, "intervalMs") / 1000
    if job_input["op"] == "text":
        count(job_input, "bytes")
    clock = asyncio.get_running_loop().time
    started = clock()
    for index in range(number):
        await asyncio.sleep(max(0, started + (index + 1) * interval - clock()))
        yield chunk_at(job_input, index)


async def plain_output(job):
    """The output of every op that does not stream."""
    job_input = job.get("input") or {}
    if "openai_route" in job_input:
        # A call of /openai/*, as the service hands it on: there is no model to speak with.
        return {"object": "chat.completion", "choices": []}
    op = job_input.get("op")
    value = job_input.get("value")
    if op == "echo":
        return {"value": value}
    if op == "sleep":
        await asyncio.sleep(count(job_input, "ms") / 1000)
        return {"value": value}
    if op == "fail":
        raise Raised(str(job_input.get("message", "failed")))
    if op == "flaky":
        failures, attempt = count(job_input, "failures"), attempt_of(job)
        if attempt <= failures:
            raise Raised(f"flaky: attempt {attempt} of {failures} that fail")
        return {"value": value, "attempt": attempt}
    if op == "crash":
        os._exit(3)
    if op == "whoami":
        return {"jobId": job["id"], "attempt": attempt_of(job), "s3": storage_of(job)}
    raise Raised(f"unknown op: {op!r}")


def streams(job):
    return (job.get("input") or {}).get("op") in STREAMING


async def plain_handler(job):
    """Every op of the handler; chunks are sent beside the result."""
    async with Ledger(job) as reported:
        return await plain_result(reported)


async def plain_result(job):
    if not streams(job):
        return await plain_output(job)
    from runpod.http_client import AsyncClientSession
    from runpod.serverless.modules.rp_http import stream_result

    output = []
    async with AsyncClientSession() as session:
        async for chunk in chunks(job["input"]):
            output.append(chunk)
            await stream_result(session, {"output": chunk}, job)
    return output


async def stream_handler(job):
    """Every op of the handler, each as chunks."""
    async with Ledger(job) as reported:
        if not streams(reported):
            yield await plain_output(reported)
            return
        async for chunk in chunks(reported["input"]):
            yield chunk


def configuration(environment):
    """The settings with which the package is started."""
    mode = environment.get("CONFORMANCE_MODE", "plain")
    if mode not in ("plain", "stream"):
        raise SystemExit(f"CONFORMANCE_MODE must be plain or stream, not {mode!r}")
    concurrency = int(environment.get("CONFORMANCE_CONCURRENCY", "1"))
    if concurrency < 1:
        raise SystemExit("CONFORMANCE_CONCURRENCY must be an integer of 1 or more")
    return {
        "handler": plain_handler if mode == "plain" else stream_handler,
        "return_aggregate_stream": True,
        "concurrency_modifier": lambda _current: concurrency,
    }


if __name__ == "__main__":
    import runpod

    runpod.serverless.start(configuration(os.environ))
