"""Machines, processes with a cache folder each, that compile the same kernels through one Redis, while they and the
server are killed and entries are flipped and exchanged. Prints one JSON object: what happened, and every wrong result.

    python remote_torture.py FOLDER PORT KEY SECONDS

The server at PORT runs already; it is killed and started again there.
"""

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

_PROCESSES = 16
_KERNELS = 20


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


def vandalise(client, order: random.Random) -> bool:
    names = [name for name in client.keys("fairlead:*") if not name.endswith(b".claim")]
    if len(names) < 2:
        return False
    first, second = order.sample(names, 2)
    data = client.get(first)
    if not data:
        return False
    kind = order.randrange(4)
    if kind == 0:
        data = bytearray(data)
        data[order.randrange(len(data))] ^= 1 << order.randrange(8)
        client.set(first, bytes(data))
    elif kind == 1:
        client.set(second, data)
    elif kind == 2:
        client.set(first, data[: order.randrange(len(data))])
    else:
        client.set(first + b".claim", b"of nobody", px=30000)
    return True


def start_server(port: int) -> subprocess.Popen:
    return subprocess.Popen(
        ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", ""],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def main(folder: Path, port: int, key: str, seconds: float) -> None:
    import redis
    from cache_kernels import compile_add

    compile_add(-1.0, no_cache=True)
    os.environ.update(
        FAIRLEAD_REMOTE_CACHE=f"redis://127.0.0.1:{port}/0", FAIRLEAD_REMOTE_CACHE_SIGN=key
    )
    order = random.Random(7)
    client = redis.Redis("127.0.0.1", port, socket_timeout=5)
    server_pid, server = int(client.info("server")["process_id"]), None
    happened = {"killed_clients": 0, "killed_servers": 0, "vandalised": 0}
    children: dict[int, int] = {}

    def spawn(index: int) -> None:
        child = os.fork()
        if child == 0:
            with contextlib.suppress(BaseException):
                work(folder, index, order.randrange(1 << 30) + os.getpid())
            os._exit(1)
        children[index] = child

    for index in range(_PROCESSES):
        spawn(index)
    end = time.monotonic() + seconds
    next_server = time.monotonic() + seconds / 3
    while time.monotonic() < end:
        time.sleep(order.random() * 0.15)
        index = order.randrange(_PROCESSES)
        os.kill(children[index], signal.SIGKILL)
        os.waitpid(children[index], 0)
        happened["killed_clients"] += 1
        spawn(index)
        with contextlib.suppress(redis.RedisError):
            happened["vandalised"] += vandalise(client, order)
        if time.monotonic() > next_server:
            next_server += seconds / 3
            os.kill(server_pid, signal.SIGKILL)
            if server is not None:
                server.wait()
            happened["killed_servers"] += 1
            time.sleep(0.3)
            server = start_server(port)
            server_pid = server.pid
    for child in children.values():
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    if server is not None:
        server.kill()
        server.wait()
    lines = [line for path in folder.glob("log-*") for line in path.read_text().splitlines()]
    told = {kind: lines.count(kind) for kind in ("loaded", "compiled")}
    wrong = [line for line in lines if line not in ("loaded", "compiled")]
    print(json.dumps({**happened, **told, "wrong": wrong}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3], float(sys.argv[4]))
