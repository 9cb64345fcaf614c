#!/usr/bin/env bash
# Proves that a wheel runs with an old C library: makes a Debian 11 root (glibc 2.31, libstdc++ of GCC 10), builds
# Python 3.11 of Debian 12's source there, installs the wheel and runs tests/install/smoke.py and an exported file.
#
#   sudo tests/install/old_machine.sh WHEEL [--root FOLDER]
#
# WHEEL is for CPython 3.11, as `./run wheel` writes it on Debian 12. Needs root, 2 GB in FOLDER (default: a new folder
# under /var/tmp, removed at the end), and what apt and pip are set up to reach here. A root that is there already is
# used again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source tests/install/debian_root.sh

wheel= root=
while (($#)); do
  case "$1" in
    --root) root=$2; shift 2 ;;
    -h | --help) sed -n '2,9s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *.whl) wheel=$1; shift ;;
    *) echo "old_machine.sh: expected a wheel, but got $1 (see --help)" >&2; exit 2 ;;
  esac
done
[[ -f $wheel ]] || { echo "old_machine.sh: there is no wheel \"$wheel\" (see --help)" >&2; exit 2; }
prepareRoot
mapfile -t variables < <(passedVariables)
variables+=("HOME=/root" "PATH=/usr/sbin:/usr/bin:/sbin:/bin" "LANG=C.UTF-8" "DEBIAN_FRONTEND=noninteractive")
inside() {
  chroot "$root" env -i "${variables[@]}" "$@"
}

if [[ ! -x $root/opt/python/bin/python3.11 ]]; then
  echo "making a Debian 11 with Python 3.11 in $root"
  makeDebian bullseye
  echo "deb-src $mirror bookworm main" >"$root/etc/apt/sources.list.d/python.list"
fi
for folder in /proc /dev; do
  show "$folder"
done
copySettings
if [[ ! -x $root/opt/python/bin/python3.11 ]]; then
  {
    inside apt-get update -q
    inside apt-get install -y -q --no-install-recommends gcc libc6-dev make zlib1g-dev libffi-dev libssl-dev dpkg-dev
    inside bash -ec "mkdir -p /src && cd /src && apt-get source -q --download-only python3.11
      tar xf python3.11_*.orig.tar.gz && cd Python-3.11*/
      ./configure -q --prefix=/opt/python --with-ensurepip=install && make -s -j$(nproc) && make -s install"
  } >>"$log" 2>&1 || { tail -n 5 "$log" >&2; exit 1; }
fi

rm -rf "$root/try"
mkdir -p "$root/try"
cp "$wheel" tests/install/smoke.py tests/aot/make_old_files.py "$root/try"
inside bash -ec "cd /try
  ldd --version | head -n 1
  /opt/python/bin/python3.11 -m venv env
  env/bin/pip install -q --only-binary=:all: numpy ./$(basename "$wheel")
  export FAIRLEAD_TARGET=cpu
  env/bin/python -I smoke.py
  mkdir files && env/bin/python make_old_files.py files && env/bin/fairlead inspect files/*.o
  env/bin/python -c 'import glob, numpy, fairlead.cute as cute
a, b = numpy.array([-1, 0.25, 3], numpy.float32), numpy.zeros(3, numpy.float32)
cute.runtime.load_module(glob.glob(\"files/open*.o\")[0]).clip(a, b, (0.0, 1.0))
assert b.tolist() == [0, 0.5, 1], b
print(\"an exported file runs\")'"
