"""The Python package runpod, its asyncio endpoint, as a program that `queueproof client` can run."""
import asyncio
import json
import os

import aiohttp
import runpod
from runpod import AsyncioEndpoint

runpod.api_key = os.environ["JOB_API_KEY"]
given = json.loads(os.environ["JOB_API_INPUT"])
seconds = int(os.environ["JOB_API_TIMEOUT_MS"]) / 1000 - 1
task = os.environ["JOB_API_TASK"]


async def do():
    async with aiohttp.ClientSession(trust_env=True) as session:
        endpoint = AsyncioEndpoint(os.environ["JOB_API_ENDPOINT"], session)
        job = await endpoint.run(given)
        if task == "stream":
            return [chunk async for chunk in job.stream()]
        if task == "cancel":
            await job.cancel()
            return await job.status()
        return await job.output(timeout=int(seconds))


print(json.dumps(asyncio.run(do())))
