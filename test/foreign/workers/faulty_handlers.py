"""Handlers of the package runpod that have a fault, those of one entry of the catalogue together."""

import asyncio
import datetime
import math
import os
import signal
import sys
import threading
import time
import traceback

from table import HERE, state, lock, handler, words

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
