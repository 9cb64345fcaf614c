"""A small model server that compiles nothing after its start.

    python serve.py                             # warms up, freezes, serves
    curl -d '{"rows": [[1, 2, 3]]}' http://127.0.0.1:8000/softmax

The keys of the warm-up are declared below. A run can record the keys that it needs in a manifest, and the next start
then warms up these instead:

    FAIRLEAD_MANIFEST=serve.json python serve.py
    python serve.py --manifest serve.json
"""

from __future__ import annotations

import argparse
import json
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np

import fairlead
from fairlead import Float32, cute

WIDEST = 1024


@cute.kernel
def softmax_of_a_row(x: cute.Tensor, y: cute.Tensor):
    """One thread computes one row."""
    row = cute.arch.block_idx()[0] * 32 + cute.arch.thread_idx()[0]
    if row < x.shape[0]:
        greatest = x[row, 0]
        for i in range(1, x.shape[1]):
            greatest = max(greatest, x[row, i])
        total = Float32(0)
        for i in range(x.shape[1]):
            total += cute.math.exp((x[row, i] - greatest).to(Float32))
        for i in range(x.shape[1]):
            power = cute.math.exp((x[row, i] - greatest).to(Float32)) / total
            y[row, i] = power.to(y.element_type)


@cute.jit
def softmax(x: cute.Tensor, y: cute.Tensor):
    softmax_of_a_row(x, y).launch(grid=cute.ceil_div(x.shape[0], 32), block=32)


def declared_keys() -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the arguments of each program that requests need: one for each dtype."""
    shape = (2, 4)
    return [(np.zeros(shape, dtype), np.zeros(shape, dtype)) for dtype in ("float32", "float16")]


def warm_up(manifest: str | None) -> fairlead.WarmReport:
    """Compile all that requests need; raises the error of a key that cannot be compiled."""
    return fairlead.compile_set(softmax, manifest or declared_keys()).check()


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        try:
            request = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
            x = np.array(request["rows"], request.get("dtype", "float32"))
            if x.ndim != 2 or not 0 < x.shape[1] <= WIDEST:
                raise ValueError(f"rows: expected a matrix of at most {WIDEST} columns")
            y = np.empty_like(x)
            softmax(x, y)
            status, answer = 200, {"rows": y.tolist()}
        except (KeyError, TypeError, ValueError) as error:
            status, answer = 400, {"error": str(error)}
        except fairlead.DSLError as error:
            # A key that nobody declared: the request fails, and the others do not wait for a compile.
            status, answer = 501, {"error": str(error)}
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


def make_server(port: int = 8000, manifest: str | None = None) -> ThreadingHTTPServer:
    """Warm up, freeze, and return the server."""
    start = time.perf_counter()
    with fairlead.on_compile(lambda e: print(f"  {e.key}: {'hit' if e.hit else 'compiled'}")):
        report = warm_up(manifest)
    fairlead.freeze()
    print(f"ready after {time.perf_counter() - start:.2f} s: {report}")
    return ThreadingHTTPServer(("127.0.0.1", port), Handler)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--manifest", help="a file that FAIRLEAD_MANIFEST wrote")
    options = parser.parse_args()
    make_server(options.port, options.manifest).serve_forever()
