#!/usr/bin/env bash
# Gathers in dist/gpu what a GPU machine without network needs to run tests/gpu/run.sh: the wheel for its Python,
# pytest, and the C++ tests that use a device. Usage: tests/gpu/bundle.sh [X.Y], the GPU machine's Python (3.12).
#   FAIRLEAD_FLASH_ATTENTION   a checkout of flash-attention, for a sample of the tests of its flash_attn/cute
#   FAIRLEAD_QUACK             a checkout of quack, for a sample of its tests
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
version=${1:-3.12}
rm -rf dist/gpu
mkdir -p dist/gpu
./run wheel "$version"
cp dist/fairlead-*-cp"${version/./}"-*_"$(uname -m)".whl dist/gpu/
.venv/bin/python -m pip download -q --only-binary=:all: --python-version "$version" -d dist/gpu \
  pytest pytest-timeout pytest-xdist
# The peer that calls are compared with, apart: where it is importable, its libtvm_ffi.so is the one that is used.
.venv/bin/python -m pip download -q --no-deps --only-binary=:all: --python-version "$version" -d dist/gpu/peers \
  apache-tvm-ffi==0.1.15.post2
cmake --build build --target FairleadCudaDeviceTests FairleadLanguageDeviceTests fairlead_test_kernels
cp build/bin/Fairlead{Cuda,Language}DeviceTests dist/gpu/
mkdir -p dist/gpu/tests/python/ffi
cp build/tests/python/ffi/libfairlead_test_kernels.so dist/gpu/tests/python/ffi/
# Libraries whose own tests are run: sources and what they import, in one folder each.
library() {
  local folder=dist/gpu/libraries/$1 checkout=$2
  shift 2
  mkdir -p "$folder"
  (cd "$checkout" && tar -c --exclude=__pycache__ "$@") | tar -x -C "$folder"
  for wheel in quack-kernels==0.6.5 einops; do
    .venv/bin/python -m pip install -q --no-deps --no-compile --target "$folder" --python-version "$version" --only-binary=:all: "$wheel"
  done
}
if [[ -n ${FAIRLEAD_FLASH_ATTENTION:-} ]]; then
  library flash-attention "$FAIRLEAD_FLASH_ATTENTION" flash_attn/cute tests/cute
  : >dist/gpu/libraries/flash-attention/flash_attn/__init__.py # without the compiled kernels of other versions
fi
if [[ -n ${FAIRLEAD_QUACK:-} ]]; then
  library quack "$FAIRLEAD_QUACK" tests
fi
du -sh dist/gpu
