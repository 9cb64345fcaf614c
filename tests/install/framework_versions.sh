#!/usr/bin/env bash
# Runs the tests of operators of torch and calls of JAX with other versions of these than `./run test` has, each in
# an environment of its own, which is removed afterwards, and prints a line for each version.
#
#   tests/install/framework_versions.sh [torch==VERSION | jax==VERSION]...
#
# Without arguments: the oldest that is supported, those next to it, and the newest. Needs a build (./run build), the
# network, and 8 GB in TMPDIR (default: /var/tmp) for torch with its libraries for CUDA. PYTHON is the interpreter that
# the build is for (default: that of .venv); logs are in build/logs.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

case "${1:-}" in
  -h | --help) sed -n '2,9s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
esac
# jaxlib's FFI: 0.1 up to jax 0.8, 0.2 in 0.9, 0.3 in 0.10.
versions=("$@")
((${#versions[@]})) || versions=(torch==2.9.1 torch==2.10.0 torch==2.12.1 torch==2.13.0 torch==2.15.0
  jax==0.7.0 jax==0.8.0 jax==0.9.0 jax==0.10.2)
python=${PYTHON:-$PWD/.venv/bin/python}
build=${FAIRLEAD_BUILD_DIR:-$PWD/build}
logs=$PWD/build/logs
mkdir -p "$logs"
place=$(mktemp -d "${TMPDIR:-/var/tmp}/fairlead-versions-XXXXXX")
trap 'rm -rf "$place"' EXIT

failed=0
for version in "${versions[@]}"; do
  case "$version" in
    torch==*) packages=("$version" flatbuffers)
      tests=(tests/python/frameworks/test_torch_{op,op_options,calls,overlap,register,model,transforms}.py
        tests/python/ffi/test_torch_tensors.py) ;;
    jax==*) packages=("$version" "jaxlib==${version#jax==}" flatbuffers)
      tests=(tests/python/frameworks/test_{jax_call,published_jax}.py) ;;
    *) echo "framework_versions.sh: neither torch==VERSION nor jax==VERSION: $version (see --help)" >&2; exit 2 ;;
  esac
  log=$logs/${version/==/-}.log
  environment=$place/$version
  if "$python" -m venv "$environment" >"$log" 2>&1 &&
    "$environment/bin/pip" install -q --no-cache-dir --no-compile "${packages[@]}" numpy pytest pytest-timeout \
      >>"$log" 2>&1; then
    PYTHONPATH=$build/python FAIRLEAD_BUILD_DIR=$build "$environment/bin/python" -m pytest -q -p no:cacheprovider \
      "${tests[@]}" >>"$log" 2>&1 || failed=1
  else
    failed=1
  fi
  echo "$version: $(tail -n 1 "$log")"
  rm -rf "$environment"
done
exit $failed
