"""Handlers of the package runpod that are right, of as many kinds."""

import asyncio
import base64
import json
import os
import subprocess
import sys
import threading
import time

import runpod

from table import state, handler, words


@handler
def plain(job):
    return words(job)


@handler
def returns_a_list(job):
    return job["input"]["prompt"].split()


@handler
def returns_a_text(job):
    return job["input"]["prompt"].upper()


@handler
def returns_nothing(job):
    job["input"]["prompt"].split()


@handler
def validates(job):
    if not isinstance(job["input"].get("prompt"), str):
        return {"error": "prompt has to be a text"}
    return words(job)


@handler
def tells_progress(job):
    for part in range(3):
        runpod.serverless.progress_update(job, f"part {part}")
    return words(job)


@handler
async def waits(job):
    await asyncio.sleep(0.1)
    return words(job)


@handler
def yields(job):
    for word in job["input"]["prompt"].split():
        yield {"word": word}


@handler(return_aggregate_stream=True)
async def yields_all(job):
    for word in job["input"]["prompt"].split():
        if word == "fail":
            raise RuntimeError("the model is gone")
        await asyncio.sleep(0.05)
        yield word


@handler(concurrency_modifier=lambda current: 4)
async def beside_others(job):
    await asyncio.sleep(0.3)
    return words(job)


@handler(refresh_worker=True)
def is_started_anew(job):
    return words(job)


@handler
def is_chatty(job):
    for line in range(5_000):
        print(f"step {line} of the error-free work", file=sys.stderr if line % 2 else sys.stdout)
    return words(job)


@handler
def works_in_threads(job):
    found = []
    threads = [threading.Thread(target=found.append, args=(words(job),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found[0]


@handler
def asks_a_subprocess(job):
    told = subprocess.run(
        [sys.executable, "-c", "import sys, json; print(json.dumps(sys.argv[1].split()))", job["input"]["prompt"]],
        capture_output=True,
        text=True,
        check=True,
    )
    return {"words": json.loads(told.stdout)}


@handler
def has_an_event_loop(job):
    async def answer():
        await asyncio.sleep(0.01)
        return words(job)

    found = []
    thread = threading.Thread(target=lambda: found.append(asyncio.run(answer())))
    thread.start()
    thread.join()
    return found[0]


@handler
def returns_5_mb(job):
    return {"image": base64.b64encode(bytes(4_000_000)).decode(), "prompt": job["input"]["prompt"]}


@handler
def works_for_long(job):
    time.sleep(7)
    return words(job)


@handler
async def can_be_stopped(job):
    await asyncio.sleep(7)
    return words(job)


@handler
def starts_slowly(job):
    return words(job)


@handler
def caches_much(job):
    if len(state["kept"]) < 5:
        state["kept"].append(bytearray(os.urandom(1)) * 25_000_000)
    return words(job)
