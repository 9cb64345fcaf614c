"""Compiles as events, warming up from declared keys and manifests, freezing, and caches as packages."""

import json
import os
import subprocess
import sys
import threading
import urllib.error
import urllib.request
import zipfile
from pathlib import Path

import numpy as np
import pytest

import fairlead
from fairlead import Float32, cute

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def thawed():
    yield
    fairlead.unfreeze()


@pytest.fixture
def events():
    seen = []
    with fairlead.on_compile(seen.append):
        yield seen


def make_scale():
    """Return a function of its own for each test."""

    @cute.jit
    def scale(a: cute.Tensor, b: cute.Tensor, factor: cute.Float32, offset: cute.Constexpr = 0):
        b[:] = a[:] * factor + offset

    return scale


def arrays(dtype=np.float32, n=8):
    return np.ones(n, dtype), np.zeros(n, dtype)


def stand_in(dtype=Float32, **options):
    return cute.runtime.make_fake_compact_tensor(dtype, (cute.sym_int(**options),))


def test_callback_gets_each_compile(events):
    scale = make_scale()
    a, b = arrays()
    scale(a, b, 2.0)
    scale(a, b, 3.0)  # the same program
    (event,) = events
    assert event.name == "scale"
    assert event.key.direct
    assert event.key.targets == "cpu"
    assert event.key.constants == (("offset", "0"),)
    assert "a: Tensor([n0], float32" in event.key.signature
    assert event.seconds > 0
    assert "trace" in event.phases
    assert event.artifact.signature.name == "scale"


def test_callback_tells_hits_from_misses(events, tmp_path, monkeypatch):
    monkeypatch.setenv("FAIRLEAD_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("FAIRLEAD_NO_CACHE", "")
    for _ in range(2):
        cute.compile(
            make_scale(), stand_in(), stand_in(), Float32, options="--target cpu --opt-level 1"
        )
    assert [event.hit for event in events] == [False, True]
    assert events[0].key.options == "--opt-level 1"


def test_removed_callback_is_not_called():
    seen = []
    handle = fairlead.on_compile(seen.append)
    handle.remove()
    handle.remove()
    a, b = arrays()
    make_scale()(a, b, 2.0)
    assert seen == []


def test_exception_of_a_callback_leaves_the_compile():
    def refuse(event):
        raise LookupError(event.name)

    a, b = arrays()
    with fairlead.on_compile(refuse), pytest.raises(LookupError, match="scale"):
        make_scale()(a, b, 2.0)


def test_callback_must_be_callable():
    with pytest.raises(TypeError, match="callback: expected a function, but got int"):
        fairlead.on_compile(3)


def test_callbacks_of_many_threads(events):
    count = 8
    scales = [make_scale() for _ in range(count)]
    threads = [
        threading.Thread(target=lambda scale=scale: scale(*arrays(), 2.0)) for scale in scales
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(events) == count


def test_warmed_direct_calls_compile_nothing(events):
    scale = make_scale()
    a, b = arrays()
    wide = arrays(np.float64)
    report = fairlead.compile_set(
        scale, [(a, b, 2.0), {"a": a, "b": b, "factor": 1.0, "offset": 5}, (*wide, 1.0)]
    )
    assert [key.error for key in report.keys] == [None] * 3
    assert len(report.functions) == len(events) == 3
    np.testing.assert_array_equal(b, 0)  # nothing ran
    events.clear()
    with fairlead.freeze():
        scale(a, b, 2.0)
        np.testing.assert_array_equal(b, 2)
        scale(a, b, 1.0, 5)
        np.testing.assert_array_equal(b, 6)
        scale(*wide, 3.0)
        np.testing.assert_array_equal(wide[1], 3)
    assert events == []


def test_stand_ins_give_functions():
    report = fairlead.compile_set(
        make_scale(),
        [(stand_in(), stand_in(), Float32), (stand_in(divisibility=4), stand_in(), Float32)],
        options="--target cpu",
        threads=2,
    ).check()
    a, b = arrays()
    for function in report.functions:
        b[:] = 0
        function(a, b, 4.0)
        np.testing.assert_array_equal(b, 4)


def test_key_that_fails_does_not_stop_the_others():
    a, b = arrays()
    report = fairlead.compile_set(make_scale(), [(a,), (a, b, 2.0)])
    assert [key.error is None for key in report.keys] == [False, True]
    assert len(report.failed) == 1
    assert "2 keys in" in str(report)
    assert "1 failed" in str(report)
    with pytest.raises(TypeError, match="missing a required argument"):
        report.check()


def test_key_of_another_type():
    with pytest.raises(TypeError, match="keys: expected a tuple of arguments or a dict by name"):
        fairlead.compile_set(make_scale(), [3])


def test_compile_after_freezing_names_the_key_and_the_nearest():
    @cute.jit
    def scale(a: cute.Tensor, b: cute.Tensor, factor: cute.Float32):
        b[:] = a[:] * factor

    scale(*arrays(), 2.0)
    fairlead.freeze()
    with pytest.raises(RuntimeError) as caught:
        scale(*arrays(np.float16), 2.0)
    message = str(caught.value)
    assert caught.value.diagnostic == "CompileFrozen"
    assert "a: Tensor([n0], float16" in message
    nearest = message.partition("The nearest warm key is ")[2]
    assert "a: Tensor([n0], float32" in nearest
    assert "test_compile_after_freezing_names_the_key_and_the_nearest (" in message
    assert "fairlead.compile_set(scale, keys)" in message
    assert (
        caught.value.stack[-1].name == "test_compile_after_freezing_names_the_key_and_the_nearest"
    )
    fairlead.unfreeze()
    scale(*arrays(np.float16), 2.0)


def test_frozen_function_without_a_warm_key():
    @cute.jit
    def never(a: cute.Tensor):
        a[0] = 1.0

    with fairlead.freeze(), pytest.raises(RuntimeError, match="No key of this function is warm"):
        never(arrays()[0])


def test_frozen_function_that_has_changed():
    make_scale()(*arrays(), 2.0)
    with fairlead.freeze(), pytest.raises(RuntimeError, match="another function of this name"):
        make_scale()(*arrays(), 2.0)


def test_end_of_with_restores_the_state_before():
    fairlead.freeze()
    with fairlead.freeze():
        pass
    with pytest.raises(RuntimeError, match=r"after fairlead\.freeze"):
        make_scale()(*arrays(), 2.0)
    fairlead.unfreeze()
    with fairlead.freeze():
        pass
    make_scale()(*arrays(), 2.0)


PROGRAM = """
import sys
import numpy as np
import fairlead
from fairlead import Float32, cute

@cute.jit
def scale(a: cute.Tensor, b: cute.Tensor, factor: cute.Float32, offset: cute.Constexpr = 0):
    b[:] = a[:] * factor + offset

def run():
    x, y = np.ones((4, 4), np.float32), np.zeros((4, 4), np.float32)
    scale(x, y, 2.0)
    scale(x.T, y.T, 2.0, offset=1)
    v = cute.runtime.make_fake_compact_tensor(Float32, (cute.sym_int(divisibility=4), 4), stride_order=(1, 0))
    cute.compile(scale, v, v, Float32, options="--target cpu --opt-level 1")(x, y, 2.0)

if __name__ == "__main__":
    import prog
    if "warm" in sys.argv:
        print(fairlead.compile_set(None, "run.json").check())
        fairlead.freeze()
        x, y = np.ones((4, 4), np.float32), np.zeros((4, 4), np.float32)
        prog.scale(x, y, 2.0)
        prog.scale(x.T, y.T, 2.0, offset=1)
        assert (y == 3).all()
    else:
        seen = []
        fairlead.on_compile(seen.append)
        prog.run()
        print(sum(event.hit for event in seen), "hits of", len(seen))
"""


def cache_of(folder):
    return {"FAIRLEAD_CACHE_DIR": str(folder / "cache"), "FAIRLEAD_NO_CACHE": ""}


def run_program(folder, *args, **environment):
    (folder / "prog.py").write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, "prog.py", *args],
        cwd=folder,
        env={**os.environ, **cache_of(folder), **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def cache_command(folder, *args):
    return subprocess.run(
        [sys.executable, "-m", "fairlead", "cache", *args],
        cwd=folder,
        env={**os.environ, **cache_of(folder)},
        capture_output=True,
        text=True,
    )


def test_manifest_of_a_run_warms_the_next(tmp_path):
    run_program(tmp_path, FAIRLEAD_MANIFEST="run.json")
    rows = json.loads((tmp_path / "run.json").read_text())["keys"]
    assert [row["function"] for row in rows] == ["prog:scale"] * 3
    assert [row["direct"] for row in rows] == [True, True, False]
    assert "3 keys in" in run_program(tmp_path, "warm")
    shown = cache_command(tmp_path, "manifest", "run.json")
    assert shown.stdout.endswith("3 keys\n"), shown.stderr
    assert "prog:scale" in shown.stdout


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"fairlead_manifest": 2, "keys": []}',
        '{"fairlead_manifest": 1, "keys": [{"function": 3}]}',
        '{"fairlead_manifest": 1, "keys": 7}',
    ],
)
def test_file_that_is_no_manifest(tmp_path, text):
    path = tmp_path / "run.json"
    path.write_text(text)
    with pytest.raises(ValueError, match="expected a manifest"):
        fairlead.compile_set(make_scale(), path)
    refused = cache_command(tmp_path, "manifest", "run.json")
    assert refused.returncode == 2 or "expected a manifest" in refused.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        {"a": {}},
        {"a": {"type": "Program"}},
        {"a": {"type": "no_such"}},
        {"a": {"value": [1]}},
        {"a": {"tensor": "Float32", "shape": [1]}},
        {"a": 7},
    ],
)
def test_damaged_arguments_fail_as_one_key(tmp_path, arguments):
    scale = make_scale()
    name = f"{scale.function.__module__}:{scale.function.__qualname__}"
    row = {
        "function": name,
        "signature": "scale()",
        "targets": "cpu",
        "options": "",
        "direct": False,
        "arguments": arguments,
    }
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"fairlead_manifest": 1, "keys": [row]}))
    (key,) = fairlead.compile_set(scale, path).keys
    assert isinstance(key.error, ValueError), key


def unpacked(tmp_path, *options):
    """Write the packages of a run's cache, and unpack that for the CPU as pip would."""
    run_program(tmp_path)
    done = cache_command(tmp_path, "export", "--wheel", "wheels", "--name", "scale", *options)
    assert done.returncode == 0, done.stderr
    (wheel,) = (tmp_path / "wheels").iterdir()
    assert wheel.name == "fairlead_cache_scale_cpu-1.0-py3-none-any.whl"
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        assert archive.testzip() is None
        archive.extractall(site)
    return site


def run_with_package(tmp_path, site, **environment):
    folder = tmp_path / "other"
    folder.mkdir()
    path = os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")])
    return run_program(folder, PYTHONPATH=path, **environment)


def test_package_of_a_cache_is_found(tmp_path):
    site = unpacked(tmp_path)
    assert "3 hits of 3" in run_with_package(tmp_path, site, FAIRLEAD_NEVER_COMPILE="1")


def test_damaged_entry_of_a_package_is_not_loaded(tmp_path):
    site = unpacked(tmp_path)
    entries = [path for path in site.glob("*/programs/*/*")]
    assert entries
    for entry in entries:
        data = bytearray(entry.read_bytes())
        data[-1] ^= 1
        entry.write_bytes(data)
    assert "0 hits of 3" in run_with_package(tmp_path, site)


def test_package_that_others_may_write_is_not_loaded(tmp_path):
    site = unpacked(tmp_path)
    for entry in site.glob("*/programs/*/*"):
        entry.chmod(0o666)
    assert "0 hits of 3" in run_with_package(tmp_path, site)


@pytest.mark.parametrize("value", ["../outside", "fairlead_cache_scale_cpu:main", "os"])
def test_entry_point_that_leads_elsewhere(tmp_path, value, monkeypatch):
    from fairlead.cute import _cache_packages

    info = tmp_path / "site" / "fairlead_cache_x-1.0.dist-info"
    info.mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (info / "entry_points.txt").write_text(f"[fairlead.caches]\nx = {value}\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "site")])
    assert _cache_packages.installed_caches() == []


def test_equal_caches_make_equal_packages(tmp_path):
    run_program(tmp_path)
    for folder in ("one", "two"):
        assert cache_command(tmp_path, "export", "--wheel", folder).returncode == 0
    (one,), (two,) = (tmp_path / "one").iterdir(), (tmp_path / "two").iterdir()
    assert one.read_bytes() == two.read_bytes()


def test_damaged_entry_is_not_exported(tmp_path):
    run_program(tmp_path)
    entry = next(path for path in (tmp_path / "cache" / "programs").glob("*/*"))
    entry.write_bytes(entry.read_bytes()[:-1])
    done = cache_command(tmp_path, "export", "--wheel", "wheels")
    assert done.returncode != 0
    assert "fairlead cache verify --remove" in done.stderr
    assert not (tmp_path / "wheels").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "export needs --wheel FOLDER"),
        (["--wheel", "w", "--name", "A-b"], "--name: expected small letters"),
        (["--wheel", "w", "--version", "x"], "--version: expected numbers"),
        (["--wheel", "w", "--arch", "sm_80"], "--arch sm_80: the cache has entries for cpu"),
    ],
)
def test_wrong_options_of_export(tmp_path, options, message):
    run_program(tmp_path)
    done = cache_command(tmp_path, "export", *options)
    assert done.returncode != 0
    assert message in done.stderr


def test_families_of_labels():
    from fairlead.cli._cache_wheel import families_of

    assert families_of("f(a: Tensor([n0], float32)) for cuda:sm_90a, cpu") == ["sm_90a", "cpu"]
    assert families_of("f(a: int32) for ptx:compute_90") == ["sm_90"]
    assert families_of("f() for cuda:sm_90a, cpu, for machines without its tools") == [
        "sm_90a",
        "cpu",
    ]
    assert families_of("machine code for sm_100a") == ["sm_100a"]
    assert families_of("f(a: int32) for cpu:x86-64-v3") == ["cpu"]
    assert families_of("") == []


def test_the_model_server(monkeypatch, capsys):
    """The example warms up, freezes, answers, and refuses a key that nobody declared."""
    monkeypatch.syspath_prepend(str(ROOT / "examples" / "model_server"))
    import serve

    server = serve.make_server(port=0)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()

    def ask(request):
        url = f"http://127.0.0.1:{server.server_port}/softmax"
        try:
            with urllib.request.urlopen(url, json.dumps(request).encode(), timeout=60) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    try:
        rows = [[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]]
        status, answer = ask({"rows": rows})
        expected = np.exp(rows) / np.exp(rows).sum(1, keepdims=True)
        assert status == 200
        np.testing.assert_allclose(answer["rows"], expected, rtol=1e-5)
        assert ask({"rows": rows, "dtype": "float16"})[0] == 200
        status, answer = ask({"rows": rows, "dtype": "float64"})
        assert status == 501
        assert "after fairlead.freeze()" in answer["error"]
        assert ask({"rows": 7})[0] == 400
    finally:
        server.shutdown()
        server.server_close()
    assert "ready after" in capsys.readouterr().out
