#!/usr/bin/env bash
# Runs on a machine with GPUs what tests/gpu/bundle.sh gathered in dist/gpu: installs the wheel into a temporary
# folder, then the C++ device tests, the Python tests and the benchmarks, and ends with a summary. Needs Python with
# PyTorch; no network and no LLVM. Full logs go to $OUT, if that is set.
#   PYTHON      the interpreter (python3)
#   TEST_LIMIT, TEST_JOBS   seconds for all Python tests (900), and how many files run side by side (4)
#   SAMPLE_TESTS, SAMPLE_LIMIT, SAMPLE_JOBS   tests of each library that are run (100), seconds for them (240), and how
#               many run side by side (two less than processors)
#   BENCH_LIMIT   seconds for each benchmark (120; 0 leaves them out); they come last, alone
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
python=${PYTHON:-python3}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
logs=${OUT:-$scratch/logs}
mkdir -p "$logs"
site=$scratch/site
failed=0

section() { printf '\n== %s\n' "$1"; }

# step NAME LIMIT COMMAND...: the command's output to a log; its end is shown, all of it after a failure.
step() {
  local name=$1 limit=$2 status=0 start=$SECONDS
  shift 2
  timeout -k 5 "$limit" "$@" </dev/null >"$logs/$name.log" 2>&1 || status=$?
  if ((status != 0)); then
    failed=1
    section "$name FAILED ($status) after $((SECONDS - start)) s"
    tail -n 80 "$logs/$name.log"
  else
    section "$name: $((SECONDS - start)) s"
    tail -n "${shown:-3}" "$logs/$name.log"
  fi
  return "$status"
}

tag=$("$python" -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
wheels=(dist/gpu/fairlead-*-"$tag"-*.whl)
if [[ ! -f ${wheels[0]} ]]; then
  echo "There is no dist/gpu/fairlead-*-$tag-*.whl: make it with tests/gpu/bundle.sh, and bring dist/gpu along." >&2
  exit 1
fi
step install 120 "$python" -m pip install -q --no-index --no-deps --no-compile --target "$site" "${wheels[0]}" || exit 1
# pytest and its few packages, only where the machine lacks one.
if ! "$python" -c 'import pytest, pytest_timeout, xdist' 2>/dev/null; then
  for wheel in dist/gpu/*.whl; do
    [[ $wheel == dist/gpu/fairlead-* ]] || others+=("$wheel")
  done
  step install-pytest 60 "$python" -m pip install -q --no-index --no-deps --no-compile --target "$site" "${others[@]}" ||
    exit 1
fi

export PYTHONPATH=$site PYTHONDONTWRITEBYTECODE=1 XLA_PYTHON_CLIENT_PREALLOCATE=false
export LD_LIBRARY_PATH=$site/fairlead/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
shown=40 step machine 120 "$python" -c '
import importlib.metadata as metadata, platform, torch
print("Python", platform.python_version(), "GPUs", torch.cuda.device_count(), torch.cuda.get_device_name(0))
for name in ("torch", "jax", "cupy-cuda13x", "triton", "numpy", "pytest"):
    try:
        print(name, metadata.version(name), end="; ")
    except metadata.PackageNotFoundError:
        print(name, "absent", end="; ")
print()
import fairlead
print("fairlead", fairlead.__version__, fairlead.__file__)'

for program in dist/gpu/Fairlead*Tests; do
  if [[ -f $program ]]; then
    chmod +x "$program"
    step "unit-$(basename "$program")" 120 "$program" --gtest_brief=1
  fi
done

# -rs lists what was skipped and why: a test that did not run must not look like one that passed.
# The files elsewhere run their tests on the device that the fixture `device` gives.
tests=("$python" -m pytest -q -rs -p no:cacheprovider tests/gpu tests/python/dsl/kernels/test_print.py
  tests/python/dsl/tensors/test_structs.py)
shown=25 step pytest "${TEST_LIMIT:-900}" "${tests[@]}" -n "${TEST_JOBS:-4}" --dist loadfile -m "gpu and not gpu_memory"
shown=5 step pytest-alone 120 "${tests[@]}" -m gpu_memory

# A seeded sample of the libraries' own tests, each test in its own process.
samples() {
  local name=$1 variable=$2 folder=dist/gpu/libraries/$1
  shift 2
  if [[ ! -d $folder ]]; then
    section "sample-$name: not run (bundle.sh takes the sources from $variable)"
    return
  fi
  local files=()
  for file in "$@"; do files+=("$folder/tests/$file"); done
  shown=3 step "sample-$name" "${SAMPLE_LIMIT:-240}" "$python" tests/gpu/library_suite.py "${files[@]}" --path "$folder" \
    --ran "${SAMPLE_TESTS:-100}" --budget "$((${SAMPLE_LIMIT:-240} * 4 / 5))" --seed "${FAIRLEAD_RANDOM_SEED:-0}" \
    --jobs "${SAMPLE_JOBS:-$(($(nproc) - 2))}" --limit 60 --json "$logs/sample-$name.json"
}
samples flash-attention FAIRLEAD_FLASH_ATTENTION cute/test_flash_attn.py
samples quack FAIRLEAD_QUACK test_softmax.py test_rmsnorm.py test_layernorm.py test_cross_entropy.py test_topk.py test_rotary.py \
  test_linear.py

# The wheel is weighed where it is made.
peers=(dist/gpu/peers/*.whl)
if [[ -f ${peers[0]} ]]; then
  step install-peers 60 "$python" -m pip install -q --no-index --no-deps --no-compile --target "$scratch/peers" "${peers[@]}"
fi
for program in benchmarks/[!_]*.py; do
  [[ -f $program && $program != */wheel_size.py && ${BENCH_LIMIT:-120} != 0 ]] || continue
  name=$(basename "$program" .py)
  path=$PYTHONPATH
  # Only the comparison of calls wants both packages in one process.
  [[ $name == call_overhead ]] && path=$PYTHONPATH:$scratch/peers
  shown=30 step "bench-$name" "${BENCH_LIMIT:-120}" env PYTHONPATH="$path" FAIRLEAD_BUILD_DIR="$PWD/dist/gpu" \
    FAIRLEAD_BENCH_INNER=1 "$python" "$program" --json "$logs/bench-$name.json"
done

section "Summary ($SECONDS s)"
for log in "$logs"/pytest.log "$logs"/pytest-alone.log; do
  grep -hE '^(=+ )?[0-9]+ (passed|failed|skipped).*' "$log" | tail -n 1
done
grep -lE 'FAILED|Error' "$logs"/unit-*.log 2>/dev/null | sed 's/^/FAILED: /'
if ((failed)); then
  echo "GPU run: something FAILED (logs above)"
else
  echo "GPU run: all passed"
fi
exit "$failed"
