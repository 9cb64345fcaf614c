# What a verb needs from the operating system: checked, and on Debian 12 as root installed.
# Sourced by ./run with the repository as working directory.

# Debian's packages, by what they are for.
readonly pythonPackages=(python3 python3-venv)
readonly buildPackages=(git ca-certificates cmake ninja-build g++ ccache clang-22 lld-22 llvm-22-dev llvm-22-tools
  libmlir-22-dev mlir-22-tools libgtest-dev libbenchmark-dev libzstd-dev zlib1g-dev libsodium-dev libxml2-dev
  libffi-dev libedit-dev python3-dev)
readonly testPackages=(redis-server gdb)
# For wheels of Pythons that the machine lacks.
readonly wheelPackages=(libssl-dev make patchelf)
# For AArch64; the target's own packages are unpacked by scripts/fairlead_dev/aarch64_system.py.
readonly aarch64Packages=(g++-12-aarch64-linux-gnu qemu-user-static)

# The interpreter that runs the scripts and makes .venv.
systemPython() {
  if [[ -n ${FAIRLEAD_PYTHON:-} ]]; then
    echo "$FAIRLEAD_PYTHON"
  elif [[ -x /usr/bin/python3 ]]; then
    echo /usr/bin/python3
  else
    command -v python3 || { echo "./run: python3 is not installed" >&2; return 1; }
  fi
}

isDebian12() {
  [[ -r /etc/os-release ]] && (. /etc/os-release && [[ ${ID:-} == debian && ${VERSION_ID:-} == 12 ]])
}

# Prints those of the named Debian packages that are not installed.
missingPackages() {
  local package
  local -A installed=()
  while read -r package _; do
    installed[$package]=1
  done < <(dpkg-query -W -f '${binary:Package} ${db:Status-Abbrev}\n' 2>/dev/null |
    sed -n 's/^\([^: ]*\)[^ ]* ii.*/\1/p')
  for package in "$@"; do
    [[ -n ${installed[$package]:-} ]] || echo "$package"
  done
}

# Prints what a system other than Debian 12 lacks, one line each.
missingTools() {
  local verb=$1 python
  python=$(command -v "${FAIRLEAD_PYTHON:-python3}" || true)
  if [[ -z $python ]] || ! "$python" -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' \
    2>/dev/null; then
    echo "Python 3.11 or newer with venv (python3, or FAIRLEAD_PYTHON=PATH)"
  fi
  [[ $verb == format ]] && return
  if [[ -n $python ]] && ! "$python" -c 'import os, sys, sysconfig
sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))'; then
    echo "the C headers of $python (Python.h)"
  fi
  command -v git >/dev/null || echo "git"
  command -v cmake >/dev/null || echo "CMake 3.25 or newer (cmake)"
  command -v ninja >/dev/null || echo "Ninja (ninja)"
  command -v clang-22 >/dev/null || [[ -x /usr/lib/llvm-22/bin/clang ]] || echo "Clang 22 (clang-22)"
  command -v "${CXX:-g++}" >/dev/null || echo "a C++20 compiler (g++ 12 or newer, or CXX)"
  local header
  for header in gtest/gtest.h benchmark/benchmark.h zstd.h zlib.h sodium.h; do
    echo "#include <$header>" | "${CXX:-g++}" -E -x c++ - >/dev/null 2>&1 ||
      echo "the development files that bring $header"
  done
  local prefix found=
  local -a prefixes=(/usr/lib/llvm-22)
  [[ -n ${CMAKE_PREFIX_PATH:-} ]] && IFS=: read -r -a prefixes <<<"$CMAKE_PREFIX_PATH:/usr/lib/llvm-22"
  for prefix in "${prefixes[@]}"; do
    [[ -e $prefix/lib/cmake/mlir/MLIRConfig.cmake ]] && found=1
  done
  [[ -n $found || -n ${MLIR_DIR:-} ]] ||
    echo "LLVM and MLIR 22 with their static libraries (/usr/lib/llvm-22, CMAKE_PREFIX_PATH or MLIR_DIR)"
}

# Runs a long command with its output in a log, and a line with the elapsed seconds.
# runStep LABEL LOG COMMAND...
runStep() {
  local label=$1 log=$2 start=$SECONDS status=0 process
  shift 2
  mkdir -p "$(dirname "$log")"
  if [[ -n ${verbose:-} ]]; then
    echo "$label ..."
    "$@" </dev/null 2>&1 | tee "$log" || status=$?
  else
    "$@" </dev/null >"$log" 2>&1 &
    process=$!
    local shown=$SECONDS
    while kill -0 "$process" 2>/dev/null; do
      sleep 0.5
      if [[ -t 1 ]]; then
        printf '\r  %s ... %d s' "$label" $((SECONDS - start))
      elif ((SECONDS - shown >= 30)); then
        echo "  $label ... $((SECONDS - start)) s"
        shown=$SECONDS
      fi
    done
    wait "$process" || status=$?
    [[ -t 1 ]] && printf '\r\033[K'
  fi
  if ((status != 0)); then
    echo "  $label FAILED after $((SECONDS - start)) s; the end of $log:" >&2
    tail -n 30 "$log" >&2
    return "$status"
  fi
  echo "  $label: $((SECONDS - start)) s"
}

ensureSystem() {
  local verb=$1 missing argument
  shift
  for argument in "$@"; do
    [[ $argument == --verbose ]] && verbose=1
  done
  if ! isDebian12; then
    missing=$(missingTools "$verb")
    if [[ -n $missing ]]; then
      echo "./run $verb needs, and this system lacks:" >&2
      sed 's/^/  - /' <<<"$missing" >&2
      echo "Install these with the system's package manager (on Debian 12, ./run does it as root)," >&2
      echo "and run ./run $verb again." >&2
      exit 1
    fi
    return
  fi
  local -a wanted=("${pythonPackages[@]}")
  [[ $verb == format ]] || wanted+=("${buildPackages[@]}")
  [[ $verb != test ]] || wanted+=("${testPackages[@]}")
  [[ $verb != wheel ]] || wanted+=("${wheelPackages[@]}")
  [[ "$verb $*" != *aarch64* && "$verb $*" != "wheel all"* ]] || wanted+=("${aarch64Packages[@]}")
  missing=$(missingPackages "${wanted[@]}" | tr '\n' ' ')
  [[ -n $missing ]] || return 0
  local -a packages
  read -r -a packages <<<"$missing"
  if [[ $(id -u) != 0 ]]; then
    echo "./run $verb needs these Debian packages, which are not installed:" >&2
    printf '  %s\n' "${packages[@]}" >&2
    echo "Install them as root, and run ./run $verb again:" >&2
    echo "  apt-get update && apt-get install --no-install-recommends ${packages[*]}" >&2
    exit 1
  fi
  echo "Installing ${#packages[@]} Debian packages: ${packages[*]}"
  runStep "apt-get update" build/logs/apt-update.log apt-get update -q
  runStep "apt-get install" build/logs/apt-install.log \
    env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${packages[@]}"
}
