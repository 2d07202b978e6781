"""The Python package runpod, its synchronous endpoint, as a program that `queueproof client` can run."""
import json
import os
import sys

import runpod

runpod.api_key = os.environ["JOB_API_KEY"]
endpoint = runpod.Endpoint(os.environ["JOB_API_ENDPOINT"])
given = json.loads(os.environ["JOB_API_INPUT"])
seconds = int(os.environ["JOB_API_TIMEOUT_MS"]) / 1000 - 1
task = os.environ["JOB_API_TASK"]




def do():
    if task == "runsync":
        return endpoint.run_sync({"input": given}, timeout=int(seconds))
    job = endpoint.run({"input": given})
    if task == "run":
        return job.output(timeout=int(seconds))
    if task == "stream":
        return list(job.stream())
    job.cancel()
    return job.status()


print(json.dumps(do()))
