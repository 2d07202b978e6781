"""The Python package langchain-runpod as a program that `queueproof client` can run: a prompt in, a text out."""
import ast
import json
import os

from langchain_runpod import RunPod

given = json.loads(os.environ["JOB_API_INPUT"])
seconds = int(os.environ["JOB_API_TIMEOUT_MS"]) // 1000 - 1
llm = RunPod(
    endpoint_id=os.environ["JOB_API_ENDPOINT"],
    api_key=os.environ["JOB_API_KEY"],
    api_base=os.environ["RUNPOD_ENDPOINT_BASE_URL"],
    temperature=given["temperature"],
    stop=given["stop"],
    timeout=seconds,
    max_polling_attempts=seconds,
)
text = llm.invoke(given["prompt"])
try:
    # An output that is no text comes as Python writes it.
    output = ast.literal_eval(text)
except (SyntaxError, ValueError):
    output = text
print(json.dumps(output))
