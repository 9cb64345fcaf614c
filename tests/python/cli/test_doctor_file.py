"""``fairlead doctor FILE``: the functions of a file that a GPU can run, and the missing ones."""

import json

import pytest

from fairlead import Float32, cute

pytest.importorskip("fairlead._compiler")


@cute.kernel
def scale_kernel(a: cute.Tensor):
    i = cute.arch.block_idx()[0]
    a[i] = a[i] * 2.0


@cute.jit
def scale(a: cute.Tensor):
    scale_kernel(a).launch(grid=(a.shape[0], 1, 1), block=(1, 1, 1))


def exported(path, targets):
    n = cute.sym_int()
    vector = cute.runtime.make_fake_compact_tensor(Float32, (n,))
    cute.compile(scale, vector, options=f"--target {targets}").export_to_c(
        str(path), function_name="scale"
    )
    return path


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """PTX for 8.0 (of ISA 8.0) and 10.3 (of ISA 8.8), and code for the CPU."""
    path = tmp_path_factory.mktemp("file") / "scale.o"
    return exported(path, "ptx:compute_80,ptx:compute_103a,cpu:x86-64")


def kernel_row(fairlead, *arguments):
    done = fairlead("doctor", *arguments, "--json")
    (row,) = [
        each for each in json.loads(done.stdout)["checks"] if each["what"] == "kernel scale_kernel"
    ]
    assert done.returncode == (row["verdict"] == "broken")
    return row


def test_names_the_image_that_runs(fairlead, file):
    row = kernel_row(fairlead, file, "--gpu", "sm_90")
    assert row["verdict"] == "ok"
    assert row["found"].startswith("PTX for compute_80, which the driver compiles")
    assert "(CUDA 12.0 or newer)" in row["found"]
    assert "PTX for compute_103a" in kernel_row(fairlead, file, "--gpu", "sm_103")["found"]


def test_a_gpu_without_code_gets_a_remedy(fairlead, file):
    row = kernel_row(fairlead, file, "--gpu", "sm_75")
    assert row == {
        "what": "kernel scale_kernel",
        "verdict": "broken",
        "found": "no code for sm_75, only for compute_80, compute_103a",
        "remedy": "export it with --target cuda:sm_75",
    }


def test_a_driver_that_is_too_old_for_the_ptx_is_told(fairlead, file):
    row = kernel_row(fairlead, file, "--gpu", "sm_103", "--driver", "12.8")
    assert row["verdict"] == "note" and row["remedy"] == "update the driver"
    assert row["found"].startswith("PTX for compute_80, which the driver compiles")
    assert row["found"].endswith("; PTX for compute_103a needs a driver of CUDA 12.9 or newer")
    row = kernel_row(fairlead, file, "--gpu", "sm_103", "--driver", "11.8")
    assert row["verdict"] == "broken" and row["found"].startswith("the driver has CUDA 11.8; ")
    assert row["remedy"] == "update the driver, or export it with --target cuda:sm_103"
    assert kernel_row(fairlead, file, "--gpu", "sm_103", "--driver", "12.9")["verdict"] == "ok"
    assert kernel_row(fairlead, file, "--gpu", "sm_90", "--driver", "12.0")["verdict"] == "ok"


def test_functions_tell_their_targets(fairlead, file):
    done = fairlead("doctor", file, "--gpu", "sm_90")
    assert done.returncode == 0
    assert "function scale" in done.stdout
    assert "compiled for ptx:compute_80, ptx:compute_103a, cpu:x86-64" in done.stdout


@pytest.mark.parametrize(
    "old, new, found, remedy",
    [
        (b'"format":2', b'"format":9', "for version 9 of exported metadata", "export it again"),
        (b'"format":2', b'"format":1', "for version 1 of exported metadata", "export it again"),
        (b'"format":2', b'"format":[', None, None),
        (b'"targets":["', b'"targets":{"', None, None),
    ],
)
def test_metadata_of_other_versions_and_damaged_ones(
    fairlead, file, tmp_path, old, new, found, remedy
):
    data = file.read_bytes()
    assert old in data
    path = tmp_path / "other.o"
    # Without its checksum of 40 bytes.
    path.write_bytes(data[:-40].replace(old, new))
    done = fairlead("doctor", path, "--gpu", "sm_90", "--json")
    assert "Traceback" not in done.stderr
    if found:
        rows = json.loads(done.stdout)["checks"]
        (row,) = [each for each in rows if each["what"] == "function scale"]
        assert row["verdict"] == "broken" and found in row["found"] and remedy in row["remedy"]


def test_machine_code_and_fatbins(fairlead, images):
    cubin = images / "cuda13_sm_90a.cubin"
    done = fairlead("doctor", cubin, "--gpu", "sm_90")
    assert done.returncode == 0 and "machine code for sm_90a" in done.stdout
    done = fairlead("doctor", cubin, "--gpu", "sm_100")
    assert done.returncode == 1
    assert "no code for sm_100, only for sm_90a" in done.stdout


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["{file}", "--gpu", "sm_13"], "--gpu: expected one of sm_50, sm_52"),
        (
            ["{file}", "--gpu", "sm_90", "--driver", "new"],
            "expected a CUDA version such as 12.4, but got 'new'",
        ),
        (["--gpu", "sm_90"], "give the file, too"),
        (["/no/such/file", "--gpu", "sm_90"], "No such file or directory"),
        (["{here}", "--gpu", "sm_90"], "{here}: "),
    ],
)
def test_wrong_usage(fairlead, file, arguments, message):
    places = {"file": file, "here": __file__}
    done = fairlead("doctor", *(each.format(**places) for each in arguments))
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert message.format(**places) in done.stderr
