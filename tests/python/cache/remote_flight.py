"""Processes that want one program at the same moment, each with a cache folder of its own. Prints one JSON object.

python remote_flight.py FOLDER URL KEY
"""

import importlib
import json
import multiprocessing
import os
import sys
from multiprocessing.synchronize import Barrier
from pathlib import Path

_PROCESSES = 16


def work(folder: Path, index: int, start: Barrier) -> None:
    from cache_kernels import check, compile_add

    from fairlead import _compiler

    os.environ["FAIRLEAD_CACHE_DIR"] = str(folder / f"cache-{index}")
    try:
        # Connect, however long 16 clients take on a busy machine: a compile would give up on such a store.
        _compiler.cache_fetch("object", "0" * 64)
        start.wait(200)
        function = compile_add(123.0)
        check(function, 123.0, size=100)
        line = "loaded" if function.cached else "compiled"
    except BaseException as error:
        line = f"wrong: {error!r}"
    (folder / f"line-{index}").write_text(line)


def main(folder: Path, url: str, key: str) -> None:
    from cache_kernels import compile_add

    importlib.import_module("redis" if url.startswith("redis") else "s3fs")  # before the forks
    compile_add(-1.0, no_cache=True)
    os.environ.update(FAIRLEAD_REMOTE_CACHE=url, FAIRLEAD_REMOTE_CACHE_SIGN=key)
    os.environ.update(FAIRLEAD_REMOTE_CACHE_TIMEOUT="20", FAIRLEAD_REMOTE_CACHE_WAIT="60")
    start = multiprocessing.get_context("fork").Barrier(_PROCESSES)
    children = []
    for index in range(_PROCESSES):
        child = os.fork()
        if child == 0:
            work(folder, index, start)
            os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    lines = [(folder / f"line-{index}").read_text() for index in range(_PROCESSES)]
    told = {kind: lines.count(kind) for kind in ("loaded", "compiled")}
    print(json.dumps({**told, "wrong": [line for line in lines if line.startswith("wrong")]}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
