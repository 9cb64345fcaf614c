"""cute.experimental.iket: events are checked, and left out without a timeline; the options that go with it."""

import numpy as np
import pytest

import fairlead
from fairlead import cute
from fairlead.cute.experimental import iket


def compile_for_cpu(function, a, options=""):
    return cute.compile(
        function, cute.runtime.from_dlpack(a), options=f"--target cpu --no-cache {options}"
    )


@cute.kernel
def marked(a: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    iket.mark("begin")
    iket.range_push("all", thread)
    token = iket.sentinel_token("round")
    total = cute.Int32(0)
    for i in range(thread):
        token = iket.range_start("round", payload=i)
        total += i
        iket.range_end(token)
    if total > 3:
        iket.mark("large", total)
    else:
        token = iket.range_start("small")
    iket.range_end(token, 1.5)
    a[thread] = total
    iket.range_pop()


@cute.kernel
def plain(a: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    total = cute.Int32(0)
    for i in range(thread):
        total += i
    a[thread] = total


def launcher(kernel):
    @cute.jit
    def host(a: cute.Tensor):
        kernel(a).launch(grid=[1, 1, 1], block=[8, 1, 1])

    return host


def test_a_program_with_events_computes_what_it_does_without():
    results = []
    for kernel in (marked, plain):
        a = np.full(8, -1, np.int32)
        compile_for_cpu(launcher(kernel), a)(a)
        results.append(a)
    np.testing.assert_array_equal(results[0], [0, 0, 1, 3, 6, 10, 15, 21])
    np.testing.assert_array_equal(results[0], results[1])


def test_events_emit_nothing():
    @cute.kernel
    def kernel(a: cute.Tensor):
        thread, _, _ = cute.arch.thread_idx()
        if fairlead.const_expr(MARKS):
            traced.append("events")
            iket.mark("begin", thread)
            iket.range_push("all")
        a[thread] = thread
        if fairlead.const_expr(MARKS):
            iket.range_pop()
            iket.range_end(iket.range_start("none"))

    texts, traced = [], []
    for MARKS in (False, True):
        kernel.function.__globals__["MARKS"] = MARKS
        compiled = compile_for_cpu(launcher(kernel), np.zeros(8, np.int32))
        texts.append(compiled.__asm__)
    assert texts[0] == texts[1]
    assert traced == ["events"]


MARKS = False


@pytest.mark.parametrize(
    "event, message",
    [
        (lambda: iket.mark(3), r"`iket.mark` expects argument #0 \(name\) to be str, but got int"),
        (lambda: iket.range_push("x", "y"), r"#1 \(payload\) to be a number, but got str"),
        (lambda: iket.range_start(None), r"`iket.range_start` .* to be str, but got NoneType"),
        (lambda: iket.range_end("x"), r"#0 \(token\) to be a token of range_start, but got str"),
        (lambda: iket.range_end(iket.sentinel_token("x"), [1]), r"to be a number, but got list"),
        (lambda: iket.sentinel_token(1.0), r"#0 \(name\) to be str, but got float"),
    ],
)
def test_arguments_are_checked(event, message):
    @cute.kernel
    def kernel(a: cute.Tensor):
        event()

    with pytest.raises(TypeError, match=message):
        compile_for_cpu(launcher(kernel), np.zeros(8, np.int32))


@pytest.mark.parametrize(
    "event", [lambda: iket.mark("x"), iket.range_pop, lambda: iket.sentinel_token("x")]
)
def test_events_are_for_traced_functions(event):
    with pytest.raises(RuntimeError, match="iket.* needs a program being traced"):
        event()


def test_the_option_of_the_environment_lets_events_record(monkeypatch):
    monkeypatch.setenv("CUTE_DSL_COMPILER_OPT", "iket")
    a = np.zeros(8, np.int32)
    run = compile_for_cpu(launcher(marked), a)
    # After the branch the token has the name of the sentinel, so nothing ends "small".
    with pytest.warns(UserWarning, match="marked: ranges without an end: 'small'"):
        with fairlead.timeline.record() as recording:
            run(a)
    np.testing.assert_array_equal(a, [0, 0, 1, 3, 6, 10, 15, 21])
    names = {event["name"] for event in recording.events if event.get("cat") == "timeline"}
    assert names == {"begin", "all", "round", "large", "small"}


@pytest.mark.parametrize("option", [cute.FrontendNext, cute.FrontendNext(True)])
def test_the_other_front_end_is_taken_without_effect(option):
    a = np.zeros(8, np.int32)
    run = cute.compile[option](launcher(plain), cute.runtime.from_dlpack(a), options="--target cpu")
    run(a)
    np.testing.assert_array_equal(a, [0, 0, 1, 3, 6, 10, 15, 21])


@cute.experimental.kernel
def experimental_kernel(a: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    if thread < 4:
        a[thread] = a[thread] + 1


@cute.experimental.jit
def experimental_program(a: cute.Tensor):
    experimental_kernel(a).launch(grid=(1, 1, 1), block=(8, 1, 1))


def test_decorators_of_the_experimental_layer():
    a = np.zeros(8, np.int32)
    compile_for_cpu(experimental_program, a)(a)
    assert a.tolist() == [1, 1, 1, 1, 0, 0, 0, 0]


@cute.experimental.kernel
def reversed_by_shared_memory(a: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    layout = cute.make_layout((2, 4), stride=(4, 1))
    shared = cute.experimental.allocate(cute.Int32, cute.AddressSpace.smem, layout, alignment=128)
    own = cute.experimental.allocate(cute.Int32, cute.AddressSpace.rmem, cute.make_layout(1))
    shared[thread // 4, thread % 4] = a[thread]
    cute.arch.sync_threads()
    own[0] = shared[1 - thread // 4, 3 - thread % 4]
    a[thread] = own[0]


@cute.experimental.jit
def reverse(a: cute.Tensor):
    reversed_by_shared_memory(a).launch(grid=(1, 1, 1), block=(8, 1, 1))


def test_allocate_and_compile_of_the_experimental_layer():
    a = np.arange(8, dtype=np.int32)
    example = cute.runtime.from_dlpack(a)
    cute.experimental.compile(reverse, example, options="--target cpu")(a)
    assert a.tolist() == list(range(7, -1, -1))


def test_allocate_names_the_spaces_that_there_are():
    @cute.kernel
    def device(a: cute.Tensor):
        cute.experimental.allocate(cute.Int32, cute.AddressSpace.gmem, cute.make_layout(1))

    @cute.jit
    def host(a: cute.Tensor):
        device(a).launch(grid=1, block=1)

    with pytest.raises(ValueError, match=r"allocate.*AddressSpace\.smem or AddressSpace\.rmem"):
        compile_for_cpu(host, np.zeros(1, np.int32))
