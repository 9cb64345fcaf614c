"""Servers that keep a remote cache, started by the tests: Redis, one that answers as S3 does, one of HTTP."""

import contextlib
import http.server
import importlib.util
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port, process=None, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        assert process is None or process.poll() is None, "the server has ended"
        time.sleep(0.02)
    raise AssertionError(f"nothing listens at port {port}")


def require(package):
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"needs the package {package} (scripts/requirements/test.txt)")


class Redis:
    """A server in memory that can be killed and started again."""

    def __init__(self, *options):
        require("redis")
        if shutil.which("redis-server") is None:
            pytest.skip("needs redis-server (scripts/system.sh)")
        self.port, self.options = free_port(), options
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.start()

    def start(self):
        command = ["redis-server", "--port", self.port, "--bind", "127.0.0.1", "--save", ""]
        self.process = subprocess.Popen(
            [str(part) for part in [*command, "--appendonly", "no", *self.options]],
            stdout=subprocess.DEVNULL,
        )
        wait_for(self.port, self.process)

    def client(self):
        import redis

        return redis.Redis("127.0.0.1", self.port)

    def names(self):
        return [key.decode() for key in self.client().keys("fairlead:*")]

    def read(self, name):
        return self.client().get(name)

    def write(self, name, data):
        self.client().set(name, data)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


class S3:
    """moto's server, with one bucket."""

    def __init__(self, monkeypatch):
        for package in ("moto", "flask", "s3fs", "boto3"):
            require(package)
        self.port = free_port()
        self.url = "s3://fleet/cache"
        for name, value in {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.port}",
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_DEFAULT_REGION": "us-east-1",
        }.items():
            monkeypatch.setenv(name, value)
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self.port)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        wait_for(self.port, self.process)
        self.client().create_bucket(Bucket="fleet")

    def client(self):
        import boto3
        from botocore.config import Config

        limits = Config(connect_timeout=5, read_timeout=5, retries={"max_attempts": 1})
        return boto3.client("s3", config=limits)

    def names(self):
        found = self.client().list_objects_v2(Bucket="fleet", Prefix="cache/")
        return [each["Key"] for each in found.get("Contents", [])]

    def read(self, name):
        return self.client().get_object(Bucket="fleet", Key=name)["Body"].read()

    def write(self, name, data):
        self.client().put_object(Bucket="fleet", Key=name, Body=data)

    def kill(self):
        self.process.kill()
        self.process.wait()


class Folder:
    def __init__(self, path):
        path.mkdir()
        self.path, self.url = path, f"file://{path}"

    def names(self):
        return [path for path in self.path.rglob("*") if path.is_file()]

    def read(self, name):
        return name.read_bytes()

    def write(self, name, data):
        name.write_bytes(data)

    def kill(self):
        shutil.rmtree(self.path)


class Http:
    """GET, PUT and DELETE of a dictionary, for whoever knows the password."""

    is_conditional = True  # knows If-None-Match

    def __init__(self):
        content = self.content = {}

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self, status, data=b""):
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def is_known(self):
                return self.headers["Authorization"] == "Basic bWU6YSBiJTI1"  # me:a b%25

            def do_GET(self):
                if not self.is_known():
                    return self.answer(401)
                data = content.get(self.path)
                self.answer(404) if data is None else self.answer(200, data)

            def do_PUT(self):
                data = self.rfile.read(int(self.headers["Content-Length"]))
                if not self.is_known():
                    return self.answer(401)
                if self.headers["If-None-Match"] == "*" and Http.is_conditional:
                    is_new = content.setdefault(self.path, data) is data
                    return self.answer(201 if is_new else 412)
                content[self.path] = data
                self.answer(201)

            def do_DELETE(self):
                content.pop(self.path, None)
                self.answer(204)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://me:a%20b%2525@127.0.0.1:{self.server.server_port}/cache"

    def names(self):
        return list(self.content)

    def read(self, name):
        return self.content[name]

    def write(self, name, data):
        self.content[name] = data

    def kill(self):
        self.server.shutdown()
        self.server.server_close()


class Deaf:
    """Takes connections and never answers."""

    def __init__(self):
        self.socket = socket.socket()
        self.socket.bind(("127.0.0.1", 0))
        self.socket.listen(64)
        self.port = self.socket.getsockname()[1]

    def kill(self):
        self.socket.close()


def end(server):
    with contextlib.suppress(Exception):
        server.kill()
