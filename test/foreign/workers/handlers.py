"""Handlers of the package runpod, faulty and right ones, each under its name: python -u handlers.py NAME."""

import asyncio
import base64
import datetime
import json
import math
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback

import runpod

HERE = os.environ.get("HANDLERS_FOLDER", tempfile.gettempdir())
handlers = {}
state = {"runs": 0, "kept": [], "current": None}
lock = threading.Lock()


def handler(function=None, **config):
    def register(named):
        handlers[named.__name__] = (named, config)
        return named

    return register if function is None else register(function)


def words(job):
    return {"words": len(job["input"]["prompt"].split()), "prompt": job["input"]["prompt"]}


# Results that do not reach the service (WORK-11).


@handler
def returns_set(job):
    return {"words": set(job["input"]["prompt"].split())}


@handler
def returns_date(job):
    return {"at": datetime.datetime.now()}


@handler
def returns_bytes(job):
    return {"image": job["input"]["prompt"].encode()}


@handler
def returns_nan(job):
    return {"score": math.nan, "prompt": job["input"]["prompt"]}


@handler
def returns_25_mb(job):
    return {"image": "x" * 25_000_000}


class Answer:
    pass


@handler
def returns_object(job):
    return Answer()


@handler
def returns_circle(job):
    circle = {}
    circle["self"] = circle
    return circle


@handler
def returns_tuple_keys(job):
    return {(1, 2): "pair"}


@handler
def returns_half_a_pair(job):
    return {"text": "\ud800"}


@handler
async def returns_coroutine(job):
    return asyncio.sleep(0)


@handler(concurrency_modifier=lambda current: 3)
async def returns_set_beside_others(job):
    await asyncio.sleep(0.05)
    return {"words": set(job["input"]["prompt"].split())}


# Failures that are told as results (WORK-21).


@handler
def tells_status_error(job):
    try:
        return words(job)
    except Exception as error:
        return {"status": "error", "message": str(error)}


@handler
def returns_traceback(job):
    try:
        return words(job)
    except Exception:
        return traceback.format_exc()


@handler
def returns_failed_status(job):
    return {"status": "failed", "reason": "no model"}


# Processes that end (WORK-02), or never work (WORK-01).


@handler
def exits(job):
    os._exit(3)


@handler
def exits_on_bad_input(job):
    if not isinstance(job["input"].get("prompt"), str):
        os._exit(4)
    return words(job)


@handler
def is_killed(job):
    os.kill(os.getpid(), signal.SIGKILL)


@handler
def leaves_by_sys_exit(job):
    sys.exit(1)


@handler
def ends_after_its_job(job):
    threading.Timer(0.3, lambda: os._exit(0)).start()
    return words(job)


# Jobs that break the next (WORK-12, WORK-13, WORK-22).


@handler
def works_once(job):
    state["runs"] += 1
    if state["runs"] > 2:
        raise RuntimeError("the model was already taken")
    return words(job)


@handler
def leaves_a_file(job):
    with open(os.path.join(HERE, job["input"]["prompt"].replace(" ", "-")), "x") as file:
        file.write("mine")
    return words(job)


@handler(concurrency_modifier=lambda current: 4)
async def mixes_results(job):
    state["current"] = job["input"]["prompt"]
    await asyncio.sleep(0.3)
    return {"prompt": state["current"]}


@handler
def keeps_its_lock(job):
    lock.acquire()
    answer = words(job)
    lock.release()
    return answer


@handler
def is_broken_by_a_failure(job):
    if state["current"] is not None:
        raise RuntimeError("the context is lost")
    try:
        return words(job)
    except Exception:
        state["current"] = "lost"
        raise


# Inputs that it cannot take (WORK-20).


@handler
def hangs_on_bad_input(job):
    while not isinstance(job["input"].get("prompt"), str):
        time.sleep(1)
    return words(job)


@handler
def swallows_its_error(job):
    try:
        return words(job)
    except Exception:
        return None


@handler
def returns_an_empty_error(job):
    try:
        return words(job)
    except Exception:
        return {"error": ""}


# Secrets (WORK-23).


@handler
def shows_its_token(job):
    try:
        return words(job)
    except Exception as error:
        raise RuntimeError(f"cannot ask with token {os.environ['MODEL_TOKEN']}") from error


@handler
def returns_its_environment(job):
    return dict(os.environ)


# Time (WORK-10, WORK-30, WORK-32, WORK-33).


@handler
def is_too_slow(job):
    time.sleep(8)
    return words(job)


@handler
def always_fails(job):
    raise ValueError("no such model")


@handler
async def stays_when_stopped(job):
    until = time.time() + 7
    while time.time() < until:
        try:
            await asyncio.sleep(until - time.time())
        except asyncio.CancelledError:
            until = time.time() + 600
    return words(job)


@handler
def pings_nothing(job):
    time.sleep(7)
    return words(job)


@handler
def stays_after_sigterm(job):
    if state["runs"] == 0:
        state["runs"] = 1
        threading.Thread(target=time.sleep, args=(600,)).start()
    return words(job)


# Streams (WORK-40, WORK-42).


@handler
def yields_set(job):
    yield {"word": job["input"]["prompt"]}
    yield {"words": set(job["input"]["prompt"].split())}


@handler(return_aggregate_stream=True)
async def yields_bytes(job):
    for word in job["input"]["prompt"].split():
        yield {"word": word.encode()}


@handler
def yields_25_mb(job):
    yield {"image": "x" * 25_000_000}


@handler
def yields_its_error(job):
    for word in job["input"]["prompt"].split():
        if word == "fail":
            yield {"status": "stopped", "message": "the model is gone"}
            return
        yield {"word": word}


# Memory (WORK-50).


@handler
def keeps_memory(job):
    state["kept"].append(bytearray(os.urandom(1)) * 25_000_000)
    return words(job)


# Right ones.


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


def main():
    name = sys.argv[1]
    if name == "never_asks":
        time.sleep(600)
    if name == "ends_at_once":
        return
    if name == "lacks_a_package":
        import no_such_package  # noqa: F401
    if name == "starts_slowly":
        time.sleep(3)
    if name == "pings_nothing":
        multiprocessing.set_start_method("spawn")
    function, config = handlers[name]
    runpod.serverless.start({"handler": function, **config})


if __name__ == "__main__" or "pings_nothing" in sys.argv:
    main()
