from fairlead import cute


@cute.kernel
def fill(out: cute.Tensor, value: cute.Float32) -> None:
    thread, _, _ = cute.arch.thread_idx()
    out[thread] = value


@cute.jit
def run(out: cute.Tensor, value: cute.Float32) -> None:
    fill(out, value).launch(grid="4", block=32)  # error
    fill(out, value).launch(grid=4, block=32.5)  # error
    fill(out, value).launch(4, 32)  # error
    fill(out, value).start(grid=4)  # error
    layout: cute.Tensor = cute.make_layout((4, 8))  # error
    text: str = cute.size(out, mode=0)  # error


@cute.jit(preproces=False)  # error
def other(out: cute.Tensor) -> None:
    run.no_such_attribute  # error
    cute.Layout.no_such_attribute  # error
    cute.Float32("1")  # error
