"""One cache for many machines, each a cache folder here: what one compiles, others load, and nothing that a store does
is ever loaded unverified or costs more than time."""

import concurrent.futures
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from cache_kernels import check, compile_add, files
from support.remote_servers import Deaf, Folder, Http, Redis, end, require
from support.thinned import IS_SHORT

from fairlead import DSLError
from fairlead._remote import open_store
from fairlead._remote._bounded import ABSENT, DONE, TAKEN
from fairlead.cli import main

STORES = ["folder", "redis", "s3", "http"]


def stats(capsys, *options):
    capsys.readouterr()
    assert main(["cache", "stats", "--json", *options]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    return {row["what"]: row["times"] for row in rows}


@pytest.mark.parametrize("store", STORES, indirect=True)
def test_what_one_machine_compiles_another_loads(store, machine, capsys):
    first = machine("first", store.url, signer="writer")
    function = compile_add(2.0)
    assert not function.cached
    assert len(store.names()) == len(files(first)) > 0  # and no claim is left
    second = machine("second")
    loaded = compile_add(2.0)
    assert loaded.cached
    check(loaded, 2.0)
    assert stats(capsys) == {"get remote: hit": 1}
    assert len(files(second)) == 1
    end(store)  # what has been fetched stays
    again = compile_add(2.0)
    assert again.cached
    assert stats(capsys)["get local: hit"] == 1
    check(again, 2.0)


@pytest.mark.parametrize("store", STORES, indirect=True)
def test_a_poisoned_entry_is_compiled_anew(store, machine, capsys):
    """Everything there is, under each name: flipped bits, another entry, one that another key has signed, nothing."""
    machine("first", store.url, signer="writer")
    compile_add(2.0), compile_add(3.0)
    names = store.names()
    whole = {name: store.read(name) for name in names}
    other = machine("other", signer="other")
    compile_add(4.0)
    stranger = next(store.read(name) for name in store.names() if name not in names)
    assert files(other)
    flipped = bytearray(whole[names[0]])
    flipped[len(flipped) // 2] ^= 1
    poisons = [
        *(bytes(flipped), whole[names[0]][:100], b"", b"FLREMOT1", os.urandom(5000)),
        *(whole[names[1]] + b"x", stranger, b"\x7fELF" + bytes(1000)),
    ]
    if IS_SHORT and not isinstance(
        store, Folder
    ):  # entries are verified alike, whichever store has them
        poisons = [poisons[0], poisons[2], poisons[6]]
    for number, poison in enumerate(poisons):
        for name in names:
            store.write(name, poison)
        machine(f"machine{number}")
        for value in (2.0, 3.0):
            function = compile_add(value)
            assert not function.cached, poison[:20]
            check(function, value)
    # The entries of two programs, exchanged: each is signed, for another name.
    store.write(names[0], whole[names[1]])
    store.write(names[1], whole[names[0]])
    machine("exchanged")
    for value in (2.0, 3.0):
        function = compile_add(value)
        assert not function.cached
        check(function, value)
    assert stats(capsys) == {"get remote: wrong signature": 2}
    # A machine that writes puts it right.
    machine("healer", signer="writer")
    compile_add(2.0), compile_add(3.0)
    machine("last")
    assert compile_add(2.0).cached and compile_add(3.0).cached


@pytest.mark.parametrize("store", ["folder", "redis"], indirect=True)
def test_reading_alone_writes_nothing(store, machine):
    machine("first", store.url)
    assert not compile_add(2.0).cached
    assert store.names() == []


@pytest.mark.parametrize("store", STORES, indirect=True)
def test_a_new_machine_is_warmed_up_in_one_go(store, machine, tmp_path, capsys):
    first = machine("first", store.url)
    for value in range(5):
        compile_add(float(value))
    assert main(["cache", "manifest"]) == 0
    listed = capsys.readouterr().out
    assert len(listed.splitlines()) == 5 and "for cpu" in listed
    (tmp_path / "manifest").write_text("# what serves\n\n" + listed)
    machine("second")
    assert main(["cache", "warm", str(tmp_path / "manifest")]) == 1
    assert "remote: absent: programs add(a: Tensor" in capsys.readouterr().out
    machine("first")
    assert main(["cache", "push"]) == 1
    assert "read only" in capsys.readouterr().out
    machine("first", signer="writer")
    assert main(["cache", "push", str(tmp_path / "manifest")]) == 0
    capsys.readouterr()
    second = machine("second")
    assert main(["cache", "warm", str(tmp_path / "manifest"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["outcomes"] == {"remote: hit": 5}
    assert {path.name for path in files(second)} == {path.name for path in files(first)}
    assert main(["cache", "warm", str(tmp_path / "manifest")]) == 0
    assert "5  local: hit" in capsys.readouterr().out
    end(store)
    assert all(compile_add(float(value)).cached for value in range(5))


def test_commands_say_what_they_miss(machine, tmp_path, monkeypatch, capsys):
    machine("first")
    monkeypatch.delenv("FAIRLEAD_REMOTE_CACHE", raising=False)
    path = tmp_path / "manifest"
    path.write_text("programs nonsense\n")
    for command, said in (
        (["warm"], "a FILE goes with warm"),
        (["list", str(path)], "a FILE goes with warm"),
        (["warm", str(path)], "line 1 is not `KIND DIGEST LABEL`"),
        (["warm", str(tmp_path / "none")], "No such file"),
        (["push"], "FAIRLEAD_REMOTE_CACHE is not set"),
        (["push", "--dir", str(tmp_path)], "--dir does not go with"),
    ):
        assert main(["cache", *command]) == 1
        assert said in capsys.readouterr().err, command
    monkeypatch.setenv("FAIRLEAD_REMOTE_CACHE", "ftp://me:secret@host")
    path.write_text(f"../../etc {'a' * 64}\n")
    assert main(["cache", "warm", str(path)]) == 1
    path.write_text(f"programs {'a' * 64}\n")
    assert main(["cache", "warm", str(path)]) == 1
    said = capsys.readouterr().err
    assert "to name a store" in said and "secret" not in said


def test_settings_that_are_wrong_are_errors(machine, monkeypatch, tmp_path):
    machine("first", "redis://127.0.0.1:1")
    monkeypatch.delenv("FAIRLEAD_REMOTE_CACHE_KEYS")
    with pytest.raises(DSLError, match="expected FAIRLEAD_REMOTE_CACHE_KEYS to name a list"):
        compile_add(2.0)
    assert not compile_add(2.0, no_cache=True).cached


def test_a_full_redis_refuses_and_serves(machine, capsys):
    """The store loses and removes entries: the fleet compiles, and results are right."""
    server = Redis("--maxmemory", "1500kb", "--maxmemory-policy", "noeviction")
    try:
        machine("first", server.url, signer="writer")
        for value in range(60):
            check(compile_add(float(value)), float(value), size=10)
        told = stats(capsys)
        assert any("refused" in what for what in told), told
        machine("second")
        for value in range(60):
            check(compile_add(float(value)), float(value), size=10)
        server.client().config_set("maxmemory-policy", "allkeys-random")
        machine("third", signer="writer")
        for value in range(60):
            check(compile_add(float(value)), float(value), size=10)
        assert stats(capsys)["put remote: stored"] > 0
    finally:
        end(server)


@pytest.mark.parametrize("scheme", ["redis", "http", "s3"])
def test_a_store_that_never_answers_costs_little(scheme, machine, monkeypatch, capsys, tmp_path):
    """All that the compiles of a process wait for it, together."""
    deaf = Deaf()
    try:
        monkeypatch.setenv("FAIRLEAD_REMOTE_CACHE_TIMEOUT", "0.3")
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{deaf.port}")
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
        host = "bucket" if scheme == "s3" else f"127.0.0.1:{deaf.port}"
        folder = machine("first", f"{scheme}://{host}")
        folder.mkdir()
        for value in range(12):
            check(compile_add(float(value)), float(value), size=10)
        lines = (folder / ".events").read_text().splitlines()
        lost = sum(int(line.split()[2]) for line in lines) / 1e6
        assert len(lines) >= 12 and lost < 3.5, lines
    finally:
        end(deaf)


def test_a_store_that_is_gone_costs_little(machine):
    machine("first", "redis://127.0.0.1:1", signer="writer")
    for value in range(5):
        check(compile_add(float(value)), float(value), size=10)


def test_a_process_ends_while_a_store_hangs(machine, keys):
    """Its threads hold up nobody."""
    deaf = Deaf()
    try:
        machine("first", f"redis://127.0.0.1:{deaf.port}")
        code = (
            "import sys; sys.path.insert(0, sys.argv[1])\n"
            "from cache_kernels import compile_add\n"
            "compile_add(1.0); print('done')"
        )
        environment = {**os.environ, "FAIRLEAD_REMOTE_CACHE_TIMEOUT": "0.3"}
        done = subprocess.run(
            [sys.executable, "-c", code, str(Path(__file__).parent)],
            capture_output=True,
            text=True,
            timeout=60,
            env=environment,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")
    finally:
        end(deaf)


@pytest.mark.parametrize("scheme", ["redis", "s3"])
def test_the_killed_and_the_vandalised(scheme, machine, keys, tmp_path):
    """Many machines, kill -9 of them and of the server, flipped and exchanged entries: nothing wrong is ever loaded."""
    for package in [scheme] if scheme == "redis" else ["moto", "flask", "s3fs"]:
        require(package)
    machine("parent")
    done = subprocess.run(
        [
            sys.executable,
            str(Path(__file__).parent / "remote_torture.py"),
            str(tmp_path),
            scheme,
            str(keys / "writer.key"),
            os.environ.get("FAIRLEAD_TORTURE_SECONDS", "10"),
        ],
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    print(told)
    assert told["wrong"] == []
    often = 3 if scheme == "redis" else 1  # the other server is one in Python
    assert told["killed_clients"] >= often and told["killed_servers"] >= 1
    assert told["vandalised"] >= often
    assert told["compiled"] > 0 and told["loaded"] > 0


@pytest.mark.parametrize("store", ["redis", "s3", "http"], indirect=True)
def test_one_compiles_and_the_others_wait(store, machine, keys, tmp_path):
    """16 machines that may write want one program at the same moment."""
    machine("parent", store.url)
    done = subprocess.run(
        [
            sys.executable,
            str(Path(__file__).parent / "remote_flight.py"),
            str(tmp_path),
            store.url,
            str(keys / "writer.key"),
        ],
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    print(told)
    assert told["wrong"] == []
    assert told["loaded"] + told["compiled"] == 16
    assert told["compiled"] <= 3, told


def claims_of(url, count=16):
    """Clients that claim one name in the same moment: how many get it."""
    stores = [open_store(url) for _ in range(count)]
    for each in stores:
        each.is_claimed("ab/name", 30)  # connects
    together = threading.Barrier(count)

    def claim(each):
        together.wait()
        return each.claim("ab/name", 30, 30)[0]

    with concurrent.futures.ThreadPoolExecutor(count) as threads:
        return list(threads.map(claim, stores))


@pytest.mark.parametrize(
    "store, rounds", [("redis", 3), ("s3", 1), ("http", 3)], indirect=["store"]
)
def test_one_of_many_gets_a_claim(store, rounds, machine):
    for _ in range(rounds):
        outcomes = claims_of(store.url)
        assert sorted(outcomes) == [DONE] + [TAKEN] * 15
        again = open_store(store.url)
        assert again.is_claimed("ab/name", 30)[0] == DONE
        assert again.release("ab/name", 30)[0] == DONE
        assert again.is_claimed("ab/name", 30)[0] == ABSENT


@pytest.mark.parametrize("store", ["s3", "http"], indirect=True)
def test_a_claim_that_has_ended_is_taken_over(store, machine):
    first, second = open_store(store.url), open_store(store.url)
    assert first.claim("ab/name", 30, 30)[0] == DONE
    assert second.claim("ab/name", 30, 30)[0] == TAKEN
    (name,) = store.names()
    for nothing in (b"1", b"nonsense", b""):
        store.write(name, nothing)
        assert second.is_claimed("ab/name", 30)[0] == ABSENT
        assert second.claim("ab/name", 30, 30)[0] == DONE
        assert first.claim("ab/name", 30, 30)[0] == TAKEN


def test_a_server_that_knows_no_conditions(machine, monkeypatch):
    """Several may get a claim there; nobody fails."""
    monkeypatch.setattr(Http, "is_conditional", False)
    server = Http()
    try:
        outcomes = claims_of(server.url)
        assert outcomes.count(DONE) >= 1 and set(outcomes) <= {DONE, TAKEN}
        assert open_store(server.url).claim("ab/name", 30, 30)[0] == TAKEN
    finally:
        end(server)


@pytest.mark.parametrize("store", ["redis", "s3", "http"], indirect=True)
def test_a_server_that_dies_in_the_middle(store, machine):
    machine("first", store.url, signer="writer")
    for value in range(4):
        compile_add(float(value))
        if value == 1:
            end(store)
    machine("second")
    for value in range(4):
        check(compile_add(float(value)), float(value), size=10)


def test_doctor_tells_the_stores(machine, monkeypatch, capsys):
    machine("first", "redis://me:secret@host:1/0")
    assert main(["doctor"]) == 0
    said = capsys.readouterr().out
    assert "FAIRLEAD_REMOTE_CACHE (=redis://...@host:1/0)" in said and "secret" not in said
    assert "writer.pub: 1 key" in said
