#!/usr/bin/env bash
# Gathers in dist/gpu what a GPU machine without network needs to run tests/gpu/run.sh: the wheel for its Python,
# pytest, and the C++ tests that use a device. Usage: tests/gpu/bundle.sh [X.Y], the GPU machine's Python (3.12).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
version=${1:-3.12}
rm -rf dist/gpu
mkdir -p dist/gpu
./run wheel --python "$version"
cp dist/fairlead-*-cp"${version/./}"-*.whl dist/gpu/
.venv/bin/python -m pip download -q --only-binary=:all: --python-version "$version" -d dist/gpu \
  pytest pytest-timeout
# The peer that calls are compared with, apart: where it is importable, its libtvm_ffi.so is the one that is used.
.venv/bin/python -m pip download -q --no-deps --only-binary=:all: --python-version "$version" -d dist/gpu/peers \
  apache-tvm-ffi==0.1.15.post2
cmake --build build --target FairleadCudaDeviceTests FairleadLanguageDeviceTests fairlead_test_kernels
cp build/bin/Fairlead{Cuda,Language}DeviceTests dist/gpu/
mkdir -p dist/gpu/tests/python/ffi
cp build/tests/python/ffi/libfairlead_test_kernels.so dist/gpu/tests/python/ffi/
du -sh dist/gpu
