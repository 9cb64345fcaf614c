"""Machines, processes with a cache folder each, that compile the same kernels through one store, while they and the
server are killed and entries are flipped and exchanged. Prints one JSON object: what happened, and every wrong result.

    python remote_torture.py FOLDER redis|s3 KEY SECONDS
"""

import contextlib
import importlib
import json
import os
import random
import shutil
import signal
import sys
import time
from pathlib import Path

from support.remote_servers import S3, Redis

# The server for S3 is one in Python.
_PROCESSES = {"redis": 16, "s3": 6}
# On a busy machine it goes on for at most as many seconds more, until clients were killed and entries damaged so often.
# The server stays up meanwhile.
_MORE_SECONDS = 30
_EVENTS = {"redis": 3, "s3": 1}
_KERNELS = 20


class Environment:
    """This process's, as a server's class sets it."""

    setenv = os.environ.__setitem__


def work(folder: Path, index: int, seed: int) -> None:
    """A machine: compiles and checks kernels in a random order, and forgets its folder now and then, until it is
    killed. Every fourth only reads."""
    from cache_kernels import check, compile_add

    os.environ["FAIRLEAD_CACHE_DIR"] = str(folder / f"cache-{index}")
    if index % 4 == 0:
        keys = os.environ.pop("FAIRLEAD_REMOTE_CACHE_SIGN")
        assert keys
    order = random.Random(seed)
    log = os.open(folder / f"log-{index}", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    while True:
        c = order.randrange(_KERNELS)
        if order.random() < 0.2:
            shutil.rmtree(os.environ["FAIRLEAD_CACHE_DIR"], ignore_errors=True)
        try:
            function = compile_add(float(c))
            check(function, float(c), size=100)
            line = "loaded" if function.cached else "compiled"
        except BaseException as error:
            line = f"wrong {c}: {error!r}".replace("\n", " ")
        os.write(log, (line + "\n").encode())


def vandalise(server: Redis | S3, order: random.Random) -> bool:
    names = [name for name in server.names() if not name.endswith(".claim")]
    if len(names) < 2:
        return False
    first, second = order.sample(names, 2)
    data = server.read(first)
    if not data:
        return False
    kind = order.randrange(4)
    if kind == 0:
        data = bytearray(data)
        data[order.randrange(len(data))] ^= 1 << order.randrange(8)
        server.write(first, bytes(data))
    elif kind == 1:
        server.write(second, data)
    elif kind == 2:
        server.write(first, data[: order.randrange(len(data))])
    else:
        server.write(f"{first}.claim", str(time.time() + 30).encode())
    return True


def main(folder: Path, scheme: str, key: str, seconds: float) -> None:
    from cache_kernels import compile_add

    importlib.import_module("redis" if scheme == "redis" else "s3fs")  # before the forks
    server = Redis() if scheme == "redis" else S3(Environment)
    try:
        compile_add(-1.0, no_cache=True)
        os.environ.update(FAIRLEAD_REMOTE_CACHE=server.url, FAIRLEAD_REMOTE_CACHE_SIGN=key)
        torture(folder, server, seconds)
    finally:
        server.kill()


def torture(folder: Path, server: Redis | S3, seconds: float) -> None:
    order = random.Random(int(os.environ.get("FAIRLEAD_RANDOM_SEED", "7")))
    happened = {"killed_clients": 0, "killed_servers": 0, "vandalised": 0}
    children: dict[int, int] = {}

    def spawn(index: int) -> None:
        child = os.fork()
        if child == 0:
            with contextlib.suppress(BaseException):
                work(folder, index, order.randrange(1 << 30) + os.getpid())
            os._exit(1)
        children[index] = child

    scheme = server.url.partition(":")[0]
    processes = _PROCESSES[scheme]
    for index in range(processes):
        spawn(index)
    end = time.monotonic() + seconds
    next_server = time.monotonic() + seconds / 3
    while time.monotonic() < end + _MORE_SECONDS:
        enough = min(happened["killed_clients"], happened["vandalised"]) >= _EVENTS[scheme]
        if time.monotonic() > end and enough and happened["killed_servers"]:
            break
        time.sleep(order.random() * 0.15)
        index = order.randrange(processes)
        os.kill(children[index], signal.SIGKILL)
        os.waitpid(children[index], 0)
        happened["killed_clients"] += 1
        spawn(index)
        with contextlib.suppress(Exception):
            happened["vandalised"] += vandalise(server, order)
        now = time.monotonic()
        if next_server < now and (now < end or not happened["killed_servers"]):
            next_server += seconds / 3
            server.kill()
            happened["killed_servers"] += 1
            time.sleep(0.3)
            server.start()
    for child in children.values():
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    lines = [line for path in folder.glob("log-*") for line in path.read_text().splitlines()]
    told = {kind: lines.count(kind) for kind in ("loaded", "compiled")}
    wrong = [line for line in lines if line not in ("loaded", "compiled")]
    print(json.dumps({**happened, **told, "wrong": wrong}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3], float(sys.argv[4]))
