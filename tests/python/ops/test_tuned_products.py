"""The stored choice of tiles of fairlead.ops.matmul."""

import json

import pytest

import fairlead.ops as ops
from fairlead import tuning
from fairlead.cute._tuning import store
from fairlead.ops import _choices, _gemm, _scaled
from fairlead.ops._scaled_tiles import ScaledTiles
from fairlead.ops._tiles import candidates, choose

torch = pytest.importorskip("torch")


@pytest.fixture(autouse=True)
def fresh(monkeypatch, tmp_path):
    """Begin with an empty store, without choices of other tests."""
    monkeypatch.setenv("FAIRLEAD_CACHE_DIR", str(tmp_path / "cache"))
    for each in ("FAIRLEAD_NO_CACHE", "FAIRLEAD_CACHE_SHARED", "FAIRLEAD_NEVER_TUNE"):
        monkeypatch.delenv(each, raising=False)
    forget(monkeypatch)


def forget(monkeypatch):
    """Begin as another process would."""
    monkeypatch.setattr(_choices, "_known", {})
    monkeypatch.setattr(_gemm, "_choices", {})


def operands():
    return torch.randn(96, 64).half(), torch.randn(64, 80).half()


def tiles_of(a, b):
    """Return the tiles that a call would use."""
    left, right = _gemm.checked(a, "a"), _gemm.checked(b, "b")
    epilogue = _gemm.Epilogue(1.0, None, False, 0.0)
    return _gemm._Product(left, right, [], torch.empty(96, 80).half(), False, epilogue).small


def test_measured_once_and_stored(monkeypatch, tmp_path):
    a, b = operands()
    assert tiles_of(a, b) == (64, 96)  # by the model
    wanted = a.double() @ b.double()
    torch.testing.assert_close(ops.matmul(a, b, tune=True).double(), wanted, atol=2e-2, rtol=2e-3)
    (path,) = (tmp_path / "cache" / "tune").glob("*.json")
    document = json.loads(path.read_text())
    assert len(document["configs"]) == 3
    # A new process uses the fastest by the stored times, and measures nothing.
    document["configs"]["(128, 192)"]["us"] = 1e-6
    path.write_text(json.dumps(document))
    forget(monkeypatch)
    monkeypatch.setattr(_choices._timing, "samples", lambda *_, **__: pytest.fail("measured"))
    assert tiles_of(a, b) == (128, 192)
    result = ops.matmul(a, b, tune=True)
    torch.testing.assert_close(result.double(), wanted, atol=2e-2, rtol=2e-3)
    assert tiles_of(a, b) == (128, 192)
    assert tiles_of(a[:, :32], b[:32]) == (64, 96)  # other extents


def test_shipped_choices(monkeypatch, tmp_path):
    a, b = operands()
    ops.matmul(a, b, tune=True)
    path = tmp_path / "choices.json"
    assert tuning.export_configs(path, select=lambda key: "matmul" in key["function"]) == 1
    document = json.loads(path.read_text())
    (entry,) = document["entries"].values()
    entry["configs"]["(256, 384)"]["us"] = 1e-6
    path.write_text(json.dumps(document))
    monkeypatch.setenv("FAIRLEAD_CACHE_DIR", str(tmp_path / "empty"))
    forget(monkeypatch)
    monkeypatch.setattr(store, "_loaded", {})
    tuning.load_configs(path)
    assert tiles_of(a, b) == (256, 384)


def test_nothing_is_measured_where_it_is_forbidden(monkeypatch):
    monkeypatch.setenv("FAIRLEAD_NEVER_TUNE", "1")
    a, b = operands()
    with pytest.raises(RuntimeError, match="FAIRLEAD_NEVER_TUNE"):
        ops.matmul(a, b, tune=True)
    # Floats of 8 bits have one kernel on CPUs.
    ops.matmul(a.to(torch.float8_e4m3fn), b.T.contiguous().to(torch.float8_e4m3fn).T, tune=True)


def test_jax():
    jax = pytest.importorskip("jax")
    with pytest.raises(ValueError, match="tune: expected False for arrays of JAX"):
        ops.matmul(jax.numpy.zeros((8, 8)), jax.numpy.zeros((8, 8)), tune=True)


def test_candidates():
    """With clusters that divide the result; depths are shared where multiprocessors would idle."""
    found = candidates(4096, 4096, 4096, 1, 132, swap=True)
    assert choose(4096, 4096, 4096, 1, 132, swap=True)._replace(group=8) in found
    assert len(set(found)) == len(found) <= 80 and {each.swapped for each in found} == {False, True}
    assert all(each.split == 1 for each in found)
    for m, n in ((4096, 4096), (100, 130), (128, 256)):
        for each in candidates(m, n, 1024, 1, 132):
            down, along = -(-m // each.m), -(-n // each.n)
            assert down % each.cluster[0] == 0 and along % each.cluster[1] == 0
            if each.split > 1:
                assert down * along * each.split <= 132 and each.cluster == (1, 1)
    assert max(each.split for each in candidates(64, 512, 8192, 1, 132)) >= 4
    assert max(each.parts for each in candidates(512, 512, 8192, 1, 132)) >= 2
    # A depth of 4 tiles is not shared by more than 2 blocks.
    assert {each.split for each in candidates(64, 512, 256, 1, 132)} <= {1, 2}
    assert {each.split for each in candidates(64, 512, 256, 1, 132, 8)} == {1}


@pytest.mark.parametrize("m, rows", [(1, 8), (11, 16), (32, 32), (33, 0), (64, 0)])
def test_few_rows(m, rows, monkeypatch):
    """No more of a tile of A is loaded than exists, if A has few rows of contiguous elements."""
    a, b = torch.zeros(m, 64).half(), torch.zeros(64, 80).half()
    monkeypatch.setattr(_gemm._Product, "extents", lambda self: (m, 80, 64, 1, 132, 16))
    for each, wanted in ((a, rows), (torch.zeros(64, 40).half().T[:m], 0)):
        left, right = _gemm.checked(each, "a"), _gemm.checked(b, "b")
        out, epilogue = torch.empty(m, 80).half(), _gemm.Epilogue(1.0, None, False, 0.0)
        product = _gemm._Product(left, right, [], out, False, epilogue)
        for tiles in candidates(*product.extents(), swap=True):
            boxed = tiles.m == 64 and not tiles.swapped
            assert product.with_rows(tiles).rows == (wanted if boxed else 0)


def test_scaled_products(monkeypatch, tmp_path):
    """Tiles of products with scales are measured and stored likewise."""
    forms = [ScaledTiles(64, 64, warpgroups=1), ScaledTiles(64, 32, warpgroups=1, steps=4)]
    monkeypatch.setattr(_scaled, "candidates", lambda *_: forms)
    a, b = (torch.randn(rows, 144).to(torch.float8_e4m3fn) for rows in (70, 80))
    scales = torch.full((70, 2), 0.5), torch.full((1, 2), 2.0)
    wanted = a.double() @ b.double().T
    result = ops.scaled_matmul(a, b, *scales, tune=True, out_dtype="float32")
    torch.testing.assert_close(result.double(), wanted, atol=1e-4, rtol=1e-4)
    (path,) = (tmp_path / "cache" / "tune").glob("*.json")
    document = json.loads(path.read_text())
    assert "scaled matrix 70 x 80 x 144" in path.read_text()
    for form, microseconds in zip(forms, (2.0, 1.0), strict=True):
        document["configs"][repr(form)]["us"] = microseconds
    path.write_text(json.dumps(document))
    forget(monkeypatch)
    monkeypatch.setattr(_choices._timing, "samples", lambda *_, **__: pytest.fail("measured"))
    run, tiles = _scaled.run, []
    monkeypatch.setattr(_scaled, "run", lambda key, *rest: tiles.append(key[5]) or run(key, *rest))
    for tune in (True, False):
        ops.scaled_matmul.forget()
        result = ops.scaled_matmul(a, b, *scales, tune=tune, out_dtype="float32")
        torch.testing.assert_close(result.double(), wanted, atol=1e-4, rtol=1e-4)
    assert tiles == [forms[1], forms[1]]
