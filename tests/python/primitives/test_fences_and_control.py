"""Fences, registers, texts and inline PTX."""

import numpy as np
import pytest
from support.functions_support import compiled, instructions, ptx, run

from fairlead import Float32, Int32, Uint32, primitives
from fairlead import range as fairlead_range
from fairlead.primitives import GridDepAction, MemScope, Proxy, SharedSpace


def fences(t, out):
    for scope in ("cta", "gpu", "sys", MemScope.CLUSTER):
        primitives.fence_acq_rel(scope)
        primitives.memory_barrier(scope)
    primitives.fence_sc_cluster()
    primitives.fence_proxy(Proxy.ALIAS)
    primitives.fence_proxy("async")
    primitives.fence_proxy("async_global")
    primitives.fence_proxy(Proxy.ASYNC_SHARED, space=SharedSpace.shared_cta)
    primitives.fence_proxy("async_shared", space="shared_cluster")
    primitives.fence_proxy_release("cta")
    primitives.fence_sync_restrict("acquire")
    primitives.fence_proxy_async_release_sync_restrict()
    out[t] = t


def test_fences_on_the_cpu():
    out = np.zeros(32, np.int32)
    run(fences, out)
    np.testing.assert_array_equal(out, np.arange(32))


def test_fences_as_ptx():
    text = ptx(fences, np.zeros(32, np.int32))
    for name in (
        "fence.acq_rel.cluster",
        "membar.cta",
        "membar.gl",
        "membar.sys",
        "fence.sc.cluster",
        "fence.proxy.alias",
        "fence.proxy.async",
        "fence.proxy.async.global",
        "fence.proxy.async.shared::cta",
        "fence.proxy.async.shared::cluster",
        "fence.proxy.tensormap::generic.release.cta",
        "fence.acquire.sync_restrict::shared::cluster.cluster",
        "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster",
    ):
        assert name in instructions(text, name.split(".")[0]), (name, text)


def control(t, out):
    primitives.setmaxregister(40, "decrease")
    primitives.nanosleep(100)
    primitives.pmevent(3)
    primitives.pmevent(mask=5)
    primitives.breakpoint()
    primitives.ptx_add_comment("here it is")
    primitives.griddepcontrol(GridDepAction.WAIT)
    primitives.griddepcontrol("launch_dependents")
    out[t] = t


def test_control():
    out = np.zeros(128, np.int32)
    run(control, out, threads=128)
    np.testing.assert_array_equal(out, np.arange(128))
    text = ptx(control, out, threads=128)
    for part in (
        "setmaxnreg.dec.sync.aligned.u32 \t40",
        "nanosleep.u32",
        "pmevent.mask 8;",
        "pmevent.mask 5;",
        "brkpt;",
        "// here it is",
        "griddepcontrol.wait;",
        "griddepcontrol.launch_dependents;",
    ):
        assert part.replace("\t", "") in text.replace("\t", ""), part


def test_threads_end():
    def body(t, out):
        if t > 3:
            primitives.exit()
        out[t] = 1

    out = np.zeros(32, np.int32)
    assert instructions(ptx(body, out), "exit")
    run(body, out)
    assert out.tolist() == [1] * 4 + [0] * 28


@pytest.mark.parametrize("checks", ["", "--check all"])
@pytest.mark.parametrize("told", [0, 1])
def test_threads_end_before_the_rest_of_the_kernel(checks, told):
    """All threads, or one warp before a barrier of the other."""

    def body(t, told, out):
        if told[0] == 1:
            out[t] = 5
            primitives.exit()
            out[t] = 6
        if t >= 32:
            out[t] = 7
            primitives.exit()
        else:
            out[t] = 2
        primitives.barrier_cta_sync(1, thread_count=32)
        out[t] += 10

    out = np.zeros(64, np.int32)
    arrays = (np.array([told], np.int32), out)
    compiled(body, arrays, threads=64, more=checks)(list(arrays))
    assert out.tolist() == ([5] * 64 if told == 1 else [12] * 32 + [7] * 32)


def test_an_exit_in_a_loop_is_for_gpus():
    def body(t, out):
        for i in fairlead_range(out[0]):
            if out[i] == 3:
                primitives.exit()

    with pytest.raises(RuntimeError, match="only GPUs run its inline PTX `exit;`"):
        run(body, np.zeros(32, np.int32))


def test_texts(capfd):
    def body(t, out):
        if t == 2:
            primitives.print_runtime("lane %d of %f", t, Float32(0.5))

    run(body, np.zeros(1, np.int32))
    assert "lane 2 of 0.500000" in capfd.readouterr().out


def test_inline_ptx():
    def body(t, out):
        out[t, 0] = primitives.inline_ptx(
            "add.s32 $0, $1, $2;", write_only_types=[Int32], read_only_args=[t, 5]
        )
        x, y = primitives.inline_ptx(
            "add.s32 {$rw0}, {$rw0}, {$r0}; sub.s32 {$w0}, {$rw0}, 1;",
            write_only_types=[Int32],
            read_write_args=[Int32(t)],
            read_only_args=[Int32(10)],
        )
        out[t, 1], out[t, 2] = x, y
        out[t, 3] = primitives.inline_ptx_hl(
            "mul.lo.u32 {$w0}, {$r0}, 3;", write_only_types=Uint32, read_only_args=[Uint32(t)]
        ).to(Int32)

    out = np.zeros((32, 4), np.int32)
    run(body, out)
    lanes = np.arange(32)
    np.testing.assert_array_equal(out, np.stack([lanes + 5, lanes + 9, lanes + 10, lanes * 3], 1))
    assert "add.s32" in ptx(body, out)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: primitives.fence_acq_rel("gpus"), ValueError, "mean `gpu`"),
        (lambda: primitives.fence_proxy("async_shared"), ValueError, "async_shared with a space"),
        (lambda: primitives.fence_proxy("tensormap"), ValueError, "async_shared with a space"),
        (lambda: primitives.fence_sync_restrict("relaxed"), ValueError, "acquire or release"),
        (
            lambda: primitives.fence_proxy_sync_restrict("acquire", from_proxy="async"),
            ValueError,
            "generic as from_proxy",
        ),
        (
            lambda: primitives.fence_proxy_release("gpu", to_proxy="async"),
            ValueError,
            "as to_proxy",
        ),
        (lambda: primitives.setmaxregister(41, "increase"), ValueError, "multiple of 8"),
        (lambda: primitives.setmaxregister(264, "increase"), ValueError, "24 to 256"),
        (lambda: primitives.setmaxregister(40, "more"), ValueError, "decrease, increase"),
        (lambda: primitives.pmevent(), TypeError, "one of event_id and mask"),
        (lambda: primitives.pmevent(16), ValueError, "0 to 15 as event_id"),
        (lambda: primitives.mapa(5, 0), TypeError, "a pointer or an array as addr"),
        (lambda: primitives.griddepcontrol("go"), ValueError, "wait, launch_dependents"),
    ],
)
def test_wrong_operands(call, error, message):
    def body(t, out):
        call()

    with pytest.raises(error, match=message):
        run(body, np.zeros(1, np.int32))
