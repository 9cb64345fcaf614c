"""Whole tensors of elements of 6 and 4 bits on the GPU."""

import pytest

torch = pytest.importorskip("torch")
from support import packed_elements as packed  # noqa: E402

import fairlead  # noqa: E402
from fairlead import cute  # noqa: E402
from fairlead.cute._conversion import convert  # noqa: E402
from fairlead.cute.runtime import from_dlpack  # noqa: E402


def on_device(array):
    return torch.from_numpy(array).cuda()


@pytest.mark.parametrize("name", packed.NAMES)
@pytest.mark.parametrize("kernel", [packed.device_rows, packed.device_matrix])
def test_conversion(kernel, name):
    packed.check_conversion(kernel, name, on_device)


@pytest.mark.parametrize("name", [*packed.NAMES, "Int4"])
def test_single_elements(name):
    packed.check_single(getattr(fairlead, name), on_device)


@pytest.mark.parametrize("kind", [cute.Float4E2M1FN, cute.Float6E3M2FN, cute.Int4])
def test_testing_convert(kind):
    """Threads write whole bytes; their bytes are those that the CPU's program writes."""

    @cute.jit
    def host(source: cute.Tensor, memory: cute.Tensor):
        pointer = cute.recast_ptr(memory.iterator, dtype=kind)
        layout = cute.make_layout((6, 24, 3), stride=(24, 1, 144))
        convert(source, cute.make_tensor(pointer, layout))

    numbers = torch.randint(-3, 4, (6, 24, 3)).float()
    found = []
    for device in ("cpu", "cuda"):
        memory = torch.zeros(numbers.numel() * kind.width // 8, dtype=torch.uint8, device=device)
        host(from_dlpack(numbers.to(device)), from_dlpack(memory, assumed_align=4))
        found.append(memory.cpu())
    assert torch.equal(*found)
