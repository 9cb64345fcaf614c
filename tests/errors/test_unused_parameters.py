"""A public function uses each of its parameters. Parameters without effect are listed here, each with its reason."""

import ast
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "python" / "fairlead"
ROOMS = ("cute", "ffi", "kernels.py", "pipeline", "primitives", "tuning", "utils")
HINT, PERMISSION = "allows faster code, never other results", "allows less accurate results"
PROTOCOL = "other classes or targets with this function use it"
KNOWN = "another argument tells it"
#: Parameters that the code does not use, by file and reason.
UNUSED: dict[tuple[str, str], str] = {
    ("cute/_elementary.py", PERMISSION): " ".join(
        f"{name}.fastmath"
        for name in (
            "abs add atan2 clamp copysign div fma fpowi isfinite isinf isnan isnormal mul neg pow rem round"
            " roundeven sub trunc"
        ).split()
    ),
    ("cute/_ir_types.py", KNOWN): "extractvalue.result",
    ("cute/_operations.py", HINT): "FastDivmodDivisor.is_power_of_2",
    ("cute/_shared_memory.py", "shared memory has one part"): (
        "SmemAllocator.allocate.partition SmemAllocator.allocate_array.partition"
        " SmemAllocator.allocate_tensor.partition"
    ),
    ("cute/arch.py", HINT): (
        "cluster_arrive.aligned cluster_arrive_relaxed.aligned cluster_wait.aligned"
    ),
    ("cute/math.py", PERMISSION): "rcp.fastmath",
    ("ffi/dataclasses/py_class.py", PROTOCOL): "py_class.slots",
    ("pipeline/_cluster_launch.py", PROTOCOL): "PipelineClcFetchAsync.create.name",
    ("pipeline/_order.py", PROTOCOL): ("PipelineOrder.create.name"),
    ("pipeline/_pipelines.py", PROTOCOL): (
        "PipelineAsync.create.name PipelineAsync.producer_tail.try_acquire_token PipelineTmaAsync.create.name"
        " PipelineTmaStore.create.name PipelineTmaStore.create.producer_group"
    ),
    ("pipeline/_tensor_products.py", PROTOCOL): (
        "PipelineAsyncUmma.create.name PipelineTmaUmma.create.name PipelineUmmaAsync.create.name"
    ),
    ("primitives/_array.py", HINT): (
        "Array.load.is_invariant Array.load.is_invariant_group Array.load.is_nontemporal"
        " Array.masked_load.is_nontemporal Array.masked_store.is_nontemporal"
        " Array.store.is_invariant_group Array.store.is_nontemporal"
    ),
    ("primitives/_array.py", "--check bounds checks all accesses"): "make_array_view.bounds_check",
    ("primitives/_pointer.py", HINT): (
        "Pointer.load.is_invariant Pointer.load.is_invariant_group Pointer.store.is_invariant_group"
    ),
    ("utils/_scaled_warp_products.py", "registers are the same for all threads"): (
        "partition_fragment_SFA.tidx partition_fragment_SFB.tidx"
    ),
    ("utils/_cluster_launch.py", PROTOCOL): (
        "ClcDynamicPersistentTileScheduler.create.grid_dim"
        " ClcDynamicPersistentTileSchedulerParams.get_grid_shape.max_active_clusters"
    ),
    ("utils/_hardware_info.py", PROTOCOL): "HardwareInfo.get_max_active_clusters.stream",
    ("utils/_scheduler.py", HINT): "PersistentTileSchedulerParams.fallback_cluster_shape_mnk",
    ("utils/_tensor_memory.py", PROTOCOL): "TmemAllocator.arch",
    ("utils/blockscaled_layout.py", KNOWN): (
        "make_tmem_layout_sfa.mma_tiler_mnk make_tmem_layout_sfb.mma_tiler_mnk"
        " sm120_make_smem_layout_sfa.tiled_mma sm120_make_smem_layout_sfb.tiled_mma"
    ),
}


def unused_parameters(path):
    """Return the parameters of public functions, and methods of public classes, that their bodies do not name."""
    unused = set()

    def visit(nodes, prefix):
        for node in nodes:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                visit(node.body, f"{prefix}{node.name}.")
            elif isinstance(node, ast.FunctionDef) and is_public(node):
                name = prefix if node.name == "__init__" else f"{prefix}{node.name}."
                unused.update(name + parameter for parameter in unnamed(node))

    visit(ast.parse(path.read_text()).body, "")
    return unused


def is_public(function):
    decorators = [ast.unparse(decorator) for decorator in function.decorator_list]
    if "overload" in decorators or "abstractmethod" in decorators:
        return False
    return function.name == "__init__" or not function.name.startswith("_")


def unnamed(function):
    body = [
        node
        for node in function.body
        if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Constant)
    ]
    if not body or (len(body) == 1 and isinstance(body[0], (ast.Raise, ast.Pass))):
        return set()
    names = {node.id for part in body for node in ast.walk(part) if isinstance(node, ast.Name)}
    arguments = function.args
    parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    parameters += [extra for extra in (arguments.vararg, arguments.kwarg) if extra is not None]
    if "locals" in names:
        return set()
    return {parameter.arg for parameter in parameters} - names - {"self", "cls"}


def test_public_functions_use_their_parameters():
    unused = set()
    for room in ROOMS:
        for path in [PACKAGE / room] if room.endswith(".py") else (PACKAGE / room).rglob("*.py"):
            file = path.relative_to(PACKAGE)
            unused |= {f"{file}: {name}" for name in unused_parameters(path)}
    listed = {f"{file}: {name}" for (file, _), names in UNUSED.items() for name in names.split()}
    assert unused == listed


def test_an_unused_parameter_is_seen(tmp_path):
    path = tmp_path / "module.py"
    path.write_text(
        "def f(used, ignored=None, *, other, **options):\n    return used + other\n"
        "def _private(ignored):\n    return 1\n"
        "class Public:\n    def __init__(self, ignored):\n        self.x = 1\n"
        "    def method(self, ignored):\n        raise TypeError('no')\n"
    )
    assert unused_parameters(path) == {"f.ignored", "f.options", "Public.ignored"}
