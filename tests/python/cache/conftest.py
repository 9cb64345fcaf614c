"""Fixtures of remote caches: a store, and machines that share it, each a cache folder here."""

import sys
from pathlib import Path

import pytest
from support.remote_servers import S3, Folder, Http, Redis, end

from fairlead._compiler import new_key_pair

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def keys(tmp_path):
    for name in ("writer", "other"):
        public, secret = new_key_pair()
        (tmp_path / f"{name}.pub").write_text(public + "\n")
        (tmp_path / f"{name}.key").write_text(secret + "\n")
    return tmp_path


@pytest.fixture
def store(request, tmp_path, monkeypatch):
    make = {
        "folder": lambda: Folder(tmp_path / "store"),
        "redis": Redis,
        "s3": lambda: S3(monkeypatch),
        "http": Http,
    }
    server = make[request.param]()
    yield server
    end(server)


@pytest.fixture
def machine(keys, tmp_path, monkeypatch):
    """Makes this process a machine of the fleet: a folder of its own, and the key of a writer or none."""
    monkeypatch.delenv("FAIRLEAD_NO_CACHE")
    monkeypatch.setenv("FAIRLEAD_REMOTE_CACHE_KEYS", str(keys / "writer.pub"))
    # Tests share two busy cores, so a late answer is no defect here.
    monkeypatch.setenv("FAIRLEAD_REMOTE_CACHE_TIMEOUT", "10")

    def become(name, url=None, signer=None):
        monkeypatch.setenv("FAIRLEAD_CACHE_DIR", str(tmp_path / name))
        if url:
            monkeypatch.setenv("FAIRLEAD_REMOTE_CACHE", url)
        if signer:
            monkeypatch.setenv("FAIRLEAD_REMOTE_CACHE_SIGN", str(keys / f"{signer}.key"))
        else:
            monkeypatch.delenv("FAIRLEAD_REMOTE_CACHE_SIGN", raising=False)
        return tmp_path / name

    return become
