"""Kernels from PTX and the disk cache."""

import pytest
from support.kernel_sources import LAUNCH, PTX, SIGNATURE

import fairlead


def make(**how):
    return fairlead.kernel(PTX, "add_one", SIGNATURE, LAUNCH, **how)


def objects(cache_dir):
    return [path for path in cache_dir.glob("objects/??/*")]


def test_objects_are_kept_with_a_label(cache_dir, capsys):
    assert make().artifact.object == make().artifact.object
    assert len(objects(cache_dir)) == 1
    from fairlead.cli import main

    assert main(["cache", "list", "--kind", "objects"]) == 0
    assert "compute_80" in capsys.readouterr().out


def test_never_compile(cache_dir, monkeypatch):
    make()
    monkeypatch.setenv("FAIRLEAD_NEVER_COMPILE", "1")
    make()
    with pytest.raises(RuntimeError, match=r"is not in the cache \(.*objects\)"):
        make(doc="another")


def test_damaged_objects_are_made_again(cache_dir):
    whole = make().artifact.object
    (path,) = objects(cache_dir)
    data = path.read_bytes()
    for damaged in (b"", data[:-1], data[: len(data) // 2], bytes(len(data))):
        path.write_bytes(damaged)
        assert make().artifact.object == whole
        assert path.read_bytes() == data
