"""Handlers that do what the workers of users do. The first argument names one."""

import asyncio
import os
import sys
import time

import runpod

BEGUN = os.environ.get("BEGUN_FILE")


def note(job):
    """Writes one line each time a handler begins."""
    if BEGUN:
        with open(BEGUN, "a", encoding="utf-8") as file:
            file.write(f"{job['id']} {os.environ['RUNPOD_POD_ID']}\n")


async def coroutine(job):
    note(job)
    told = job["input"]
    do = told["do"]
    if do == "return":
        return told["value"]
    if do == "raise":
        raise ValueError(told["message"])
    if do == "sleep":
        await asyncio.sleep(told["seconds"])
        return {"slept": told["seconds"]}
    if do == "block":
        time.sleep(told["seconds"])
        return {"blocked": told["seconds"]}
    if do == "exit":
        os._exit(3)
    if do == "exit once":
        if os.environ["RUNPOD_POD_ID"] == told["worker"]:
            os._exit(3)
        return {"by": os.environ["RUNPOD_POD_ID"]}
    if do == "unserialisable":
        return {"value": b"bytes"}
    if do == "progress":
        runpod.serverless.progress_update(job, {"percent": 50})
        await asyncio.sleep(told["seconds"])
        return {"percent": 100}
    if do == "length":
        return {"length": len(told["text"])}
    if do == "big":
        return {"text": "x" * told["bytes"]}
    raise ValueError(do)


def generator(job):
    note(job)
    told = job["input"]
    for index in range(told["count"]):
        if index == told.get("raise_at"):
            raise ValueError("in the middle")
        if index == told.get("error_at"):
            yield {"error": "told in a chunk"}
        time.sleep(told.get("seconds", 0))
        yield {"index": index}


async def async_generator(job):
    for chunk in generator(job):
        yield chunk
        await asyncio.sleep(0)


async def openai(job):
    """A worker like those that serve language models."""
    told = job["input"]
    words = told["openai_input"]["messages"][-1]["content"].split(" ")
    if told["openai_input"].get("stream"):
        for word in words:
            yield 'data: {"id":"1","object":"chat.completion.chunk","created":0,"model":"m","choices":' \
                f'[{{"index":0,"delta":{{"content":"{word}"}},"finish_reason":null}}]}}\n\n'
        yield "data: [DONE]\n\n"
    else:
        message = {"role": "assistant", "content": " ".join(reversed(words))}
        yield {"id": "1", "object": "chat.completion", "created": 0, "model": "m",
               "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}


HANDLERS = {
    "coroutine": {"handler": coroutine},
    "batch": {"handler": coroutine, "concurrency_modifier": lambda _current: 4},
    "generator": {"handler": generator, "return_aggregate_stream": True},
    "async-generator": {"handler": async_generator, "return_aggregate_stream": True},
    "chunks-alone": {"handler": generator},
    "openai": {"handler": openai, "return_aggregate_stream": True},
}

runpod.serverless.start(HANDLERS[sys.argv.pop(1)])
