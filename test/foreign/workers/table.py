"""What the handlers share: the table that holds each under its name, and the answer of a right one."""

import os
import tempfile
import threading

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
