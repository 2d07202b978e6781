"""Starts a worker of the package runpod with one of the handlers: python -u handlers.py NAME."""

import multiprocessing
import sys
import time

import runpod

import faulty_handlers  # noqa: F401
import right_handlers  # noqa: F401
from table import handlers


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
