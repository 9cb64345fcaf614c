"""Processes that compile the same kernels through one cache folder, while they are killed at random and entries are cut
and flipped. Prints one JSON object: what happened, and every wrong result.

    python cache_torture.py FOLDER SECONDS
"""

import json
import os
import random
import signal
import sys
import time
from pathlib import Path

_PROCESSES = 16
_KERNELS = 50
# It goes on for at most as many seconds more until as many processes were killed, and entries damaged.
_MORE_SECONDS = 60
_EVENTS = 20


def work(folder: Path, index: int, seed: int) -> None:
    """A process: compiles and checks kernels in a random order until it is killed."""
    from cache_kernels import check, compile_add

    order = random.Random(seed)
    log = os.open(folder / f"log-{index}", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    while True:
        c = order.randrange(_KERNELS)
        try:
            function = compile_add(float(c))
            check(function, float(c), size=100)
            line = "hit" if function.cached else "miss"
        except BaseException as error:
            line = f"wrong {c}: {error!r}".replace("\n", " ")
        os.write(log, (line + "\n").encode())


def vandalize(entries: list[Path], order: random.Random) -> bool:
    path = order.choice(entries)
    try:
        size = path.stat().st_size
        with open(path, "r+b") as file:
            if order.random() < 0.5:
                file.truncate(order.randrange(size))
            else:
                place = order.randrange(size)
                file.seek(place)
                byte = file.read(1)[0]
                file.seek(place)
                file.write(bytes([byte ^ 1 << order.randrange(8)]))
        return True
    except (FileNotFoundError, ValueError):
        return False  # a reader has removed it


def main(folder: Path, seconds: float) -> None:
    from cache_kernels import compile_add, files

    # Everything that a compile needs is there before the forks, but no thread of the work pool.
    compile_add(-1.0, no_cache=True)
    cache = Path(os.environ["FAIRLEAD_CACHE_DIR"])
    order = random.Random(int(os.environ.get("FAIRLEAD_RANDOM_SEED", "7")))
    running: dict[int, int] = {}
    told = {"started": 0, "killed": 0, "damaged": 0}

    def start(index: int) -> None:
        told["started"] += 1
        seed = order.randrange(1 << 30)
        process = os.fork()
        if process == 0:
            try:
                work(folder, index, seed)
            finally:
                os._exit(1)
        running[process] = index

    for index in range(_PROCESSES):
        start(index)
    end = time.monotonic() + seconds
    while time.monotonic() < end + _MORE_SECONDS:
        if time.monotonic() > end and min(told["killed"], told["damaged"]) >= _EVENTS:
            break
        time.sleep(0.03)
        if order.random() < 0.4:
            victim = order.choice(list(running))
            os.kill(victim, signal.SIGKILL)
            os.waitpid(victim, 0)
            told["killed"] += 1
            start(running.pop(victim))
        entries = files(cache, "programs")
        whole = [path for path in entries if len(path.name) == 62]
        if whole:
            told["damaged"] += vandalize(whole, order)
    for process in running:
        os.kill(process, signal.SIGKILL)
    for process in running:
        os.waitpid(process, 0)
    lines = [line for log in folder.glob("log-*") for line in log.read_text().splitlines()]
    told["hits"], told["misses"] = lines.count("hit"), lines.count("miss")
    told["wrong"] = [line for line in lines if line.startswith("wrong")]
    print(json.dumps(told))


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]))
