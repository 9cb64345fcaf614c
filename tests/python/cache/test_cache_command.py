"""The command ``fairlead cache``."""

import json
import os
import time

import pytest
from cache_kernels import compile_add, files

from fairlead.cli import main


def told(capsys, *arguments):
    status = main(["cache", *arguments, "--json"])
    return status, json.loads(capsys.readouterr().out)


def test_list(cache_dir, capsys):
    compile_add()
    compile_add(options="--target cuda:sm_90a")
    build = cache_dir / "cpp" / "mine_0123"
    build.mkdir(parents=True)
    (build / "lib.so").write_bytes(bytes(1000))
    status, listed = told(capsys, "list")
    assert status == 0 and listed["folder"] == str(cache_dir)
    labels = {entry["label"] for entry in listed["entries"]}
    signature = "add(a: Tensor([n0], float32), b: Tensor([n0], float32))"
    assert labels == {f"{signature} for cpu", f"{signature} for cuda:sm_90a", "mine_0123"}
    assert listed["bytes"] == sum(path.stat().st_size for path in files(cache_dir)) + 1000
    assert told(capsys, "list", "--kind", "programs")[1]["bytes"] == listed["bytes"] - 1000
    assert main(["cache", "list"]) == 0
    text = capsys.readouterr().out
    assert f"{signature} for cuda:sm_90a" in text and "3 entries" in text


def test_verify(cache_dir, capsys):
    for c in range(3):
        compile_add(float(c))
    assert main(["cache", "verify"]) == 0
    assert "3 entries, 0 damaged" in capsys.readouterr().out
    cut, flipped, _ = files(cache_dir)
    cut.write_bytes(cut.read_bytes()[:-1])
    data = bytearray(flipped.read_bytes())
    data[len(data) // 2] ^= 1
    flipped.write_bytes(data)
    status, found = told(capsys, "verify")
    assert status == 1
    assert {entry["path"] for entry in found["damaged"]} == {str(cut), str(flipped)}
    assert main(["cache", "verify"]) == 1
    assert "its checksum is wrong" in capsys.readouterr().out
    assert told(capsys, "verify", "--remove")[0] == 0
    assert len(files(cache_dir)) == 1 and main(["cache", "verify"]) == 0


def test_clear(cache_dir, capsys):
    compile_add(1.0)
    (old,) = files(cache_dir)
    compile_add(2.0)
    month = time.time() - 31 * 86400
    os.utime(old, (month, month))
    assert main(["cache", "clear", "--unused", "30"]) == 0
    assert not old.exists() and len(files(cache_dir)) == 1
    assert main(["cache", "clear", "--kind", "objects"]) == 0
    assert len(files(cache_dir)) == 1
    assert told(capsys, "clear")[0] == 0 if capsys.readouterr() else False
    assert not files(cache_dir) and not compile_add(2.0).cached


def test_wrong_usage(cache_dir, capsys):
    assert main(["cache", "list", "--dir", "/nowhere"]) == 1
    assert "/nowhere is no folder" in capsys.readouterr().err
    assert main(["cache", "list", "--remove"]) == 1
    for wrong in (["destroy"], ["list", "--kind", "kernels"]):
        with pytest.raises(SystemExit) as ended:
            main(["cache", *wrong])
        assert ended.value.code == 2
    assert "invalid choice: 'kernels' (choose from 'programs'" in capsys.readouterr().err


def test_nothing_there(cache_dir, capsys):
    assert main(["cache", "list"]) == 0
    assert "0 entries" in capsys.readouterr().out


def test_help(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["cache", "--help"])
    assert ended.value.code == 0 and "fairlead cache verify" in capsys.readouterr().out
