"""Uses the package runpod as users do, synchronously or with asyncio; prints the results as one JSON line."""

import asyncio
import json
import os
import sys
import urllib.request

import runpod

ENDPOINT_ID = os.environ["ENDPOINT_ID"]
runpod.api_key = os.environ["API_KEY"]


def control(path, body):
    """Calls the emulator's control protocol."""
    request = urllib.request.Request(
        f"{os.environ['CONTROL_URL']}/endpoints/{ENDPOINT_ID}/{path}",
        data=json.dumps(body).encode(),
        method="PUT",
    )
    urllib.request.urlopen(request).close()


def raised(call):
    try:
        return {"returned": call()}
    except Exception as error:
        return {"raised": type(error).__name__, "says": str(error)}


def synchronous():
    endpoint = runpod.Endpoint(ENDPOINT_ID)
    told = {}
    job = endpoint.run({"op": "echo", "value": "hello"})
    told["run"] = {"output": job.output(timeout=20), "status": job.status()}
    told["run_sync"] = endpoint.run_sync({"op": "echo", "value": 1}, timeout=20)
    told["beyond the wait"] = runpod.Endpoint(os.environ["FAST_ENDPOINT_ID"]).run_sync(
        {"op": "sleep", "ms": 150000, "value": 2}, timeout=30
    )
    told["timeout"] = raised(lambda: endpoint.run_sync({"op": "sleep", "ms": 60000}, timeout=1))
    control("workers", {"count": 3})
    streaming = endpoint.run({"op": "stream", "count": 3, "intervalMs": 300})
    told["stream"] = list(streaming.stream())
    failed = endpoint.run({"op": "fail", "message": "boom"})
    told["failed"] = {"output": failed.output(timeout=20), "status": failed.status()}
    control("workers", {"count": 0})
    told["cancel"] = endpoint.run({"op": "echo"}).cancel(timeout=5)
    endpoint.run({"op": "echo"})
    told["purge"] = endpoint.purge_queue(timeout=5)
    told["health"] = endpoint.health(timeout=5)
    runpod.api_key = "wrong"
    told["wrong key"] = raised(lambda: runpod.Endpoint(ENDPOINT_ID).health(timeout=5))
    return told


async def asynchronous():
    from runpod import AsyncioEndpoint, http_client

    told = {}
    async with http_client.AsyncClientSession() as session:
        endpoint = AsyncioEndpoint(ENDPOINT_ID, session)
        job = await endpoint.run({"op": "echo", "value": "hello"})
        told["run"] = {"output": await job.output(timeout=20), "status": await job.status()}
        slow = await endpoint.run({"op": "sleep", "ms": 60000})
        try:
            told["timeout"] = await slow.output(timeout=2)
        except (TimeoutError, asyncio.TimeoutError) as error:
            told["timeout"] = {"raised": "TimeoutError", "says": str(error)}
        told["cancel"] = await slow.cancel()
        streaming = await endpoint.run({"op": "stream", "count": 3, "intervalMs": 300})
        told["stream"] = [chunk async for chunk in streaming.stream()]
        control("workers", {"count": 0})
        await endpoint.run({"op": "echo"})
        told["purge"] = await endpoint.purge_queue()
        told["health"] = await endpoint.health()
    return told


told = synchronous() if sys.argv[1] == "synchronous" else asyncio.run(asynchronous())
print(json.dumps(told))
