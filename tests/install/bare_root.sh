#!/usr/bin/env bash
# Proves that wheels work on a machine with nothing: makes a minimal Debian root without a compiler and without git, and as
# a user without rights installs each wheel there and runs tests/install/smoke.py.
#
#   sudo tests/install/bare_root.sh [--suite bullseye|bookworm|...] [--root FOLDER] [--python FOLDER]... WHEEL...
#
# Each wheel runs with the Python of this machine that `./run wheel` builds it for, which is copied into the root. A
# Python of this machine may need a newer C library than an old suite has: --python names the folder of another one, such as
# /opt/python in the root of old_machine.sh. Needs root, 1 GB in FOLDER (default: a new folder under /var/tmp, removed
# at the end), and what apt and pip are set up to reach here. A root that is there already is used again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source tests/install/debian_root.sh

suite=bookworm root=
wheels=() folders=()
while (($#)); do
  case "$1" in
    --suite) suite=$2; shift 2 ;;
    --root) root=$2; shift 2 ;;
    --python) folders+=("$2"); shift 2 ;;
    -h | --help) sed -n '2,10s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *.whl) wheels+=("$1"); shift ;;
    *) echo "bare_root.sh: expected a wheel, but got $1 (see --help)" >&2; exit 2 ;;
  esac
done
((${#wheels[@]})) || { echo "bare_root.sh: expected wheels (see --help)" >&2; exit 2; }
prepareRoot
mapfile -t variables < <(passedVariables)
variables+=("PATH=/usr/bin:/bin" "LANG=C.UTF-8")
asNobody() {
  chroot --userspec=65534:65534 "$root" env -i "${variables[@]}" HOME=/home/user "$@"
}

if [[ ! -e $root/bin/sh ]]; then
  # What Pythons link: no compiler, no headers.
  libraries=zlib1g,libbz2-1.0,liblzma5,libsqlite3-0,libreadline8,libuuid1
  case "$suite" in
    bullseye) libraries+=,libffi7,libssl1.1 ;;
    bookworm) libraries+=,libffi8,libssl3 ;;
    *) libraries+=,libffi8,libssl3t64 ;;
  esac
  makeDebian "$suite" "$libraries"
fi
for folder in /proc /dev; do
  show "$folder"
done
copySettings
asNobody true # else the search below finds nothing because nothing runs
for tool in gcc cc g++ clang git make; do
  ! asNobody sh -c "command -v $tool" || { echo "bare_root.sh: the root has $tool" >&2; exit 1; }
done

# interpreterFor VERSION: the interpreter, in a folder that was named or as ./run wheel finds it.
interpreterFor() {
  local folder
  for folder in "${folders[@]}"; do
    [[ -x $folder/bin/python$1 ]] && echo "$folder/bin/python$1" && return
  done
  python3 -B -c "import sys; sys.path.insert(0, 'scripts')
from fairlead_dev import interpreters; print(interpreters.find('$1'))"
}

status=0
for wheel in "${wheels[@]}"; do
  abi=$(basename "$wheel" | cut -d- -f4) # cp313t
  version=3.${abi#cp3}
  interpreter=$(interpreterFor "$version")
  # The folder that holds it and all that it needs; where it was built, since interpreters know their place.
  prefix=$("$interpreter" -c 'import sys; print(sys.base_prefix)' 2>/dev/null || dirname "$(dirname "$interpreter")")
  [[ $(basename "$prefix") == usr && $prefix != /usr ]] && prefix=$(dirname "$prefix")
  [[ $prefix == /usr ]] && { echo "bare_root.sh: $interpreter is part of this system, name another by --python" >&2; exit 2; }
  place=$prefix
  [[ $prefix == */opt/python ]] && place=/opt/python
  if [[ ! -e $root$place ]]; then
    mkdir -p "$root$(dirname "$place")"
    cp -a "$prefix" "$root$place"
    rm -rf "$root$place"/lib/python3*/site-packages/* # what was installed here; venv has its own pip
    for ((up = 0; up < 9; up++)); do # others may pass
      folder=$root$(echo "$place" | cut -d/ -f1-$((up + 2)))
      [[ -d $folder ]] && chmod o+rx "$folder"
    done
  fi
  rm -rf "$root/home/user"
  mkdir -p "$root/home/user"
  cp "$wheel" tests/install/smoke.py "$root/home/user"
  chown -R 65534:65534 "$root/home/user"
  echo "$(. "$root/etc/os-release" && echo "$PRETTY_NAME"), $(basename "$wheel"):"
  asNobody "$place/${interpreter#"$prefix"/}" -m venv /home/user/env >"$log" 2>&1 &&
    asNobody sh -ec "cd /home/user
      env/bin/python -m pip install -q --only-binary=:all: numpy ./$(basename "$wheel")
      FAIRLEAD_TARGET=cpu env/bin/python -I smoke.py" || { cat "$log"; status=1; }
done
exit "$status"
