#!/usr/bin/env bash
# Proves what README promises of a fresh machine: makes an empty Debian 12 root, puts a clean clone of this
# repository's HEAD into it, runs `./run demo` and `./run test` there, and prints their seconds and last lines.
#
#   sudo tests/install/fresh_machine.sh [--root FOLDER] [--bind FOLDER]... [--demo-only]
#
# Needs root, 12 GB in FOLDER (default: a new folder under /var/tmp, removed at the end) and what apt and pip are set
# up to reach here: the root gets this machine's apt sources, pip settings and certificates, and nothing else of it.
# --bind shows a folder of this machine in the root, such as one of wheels that pip is set to look into.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source tests/install/debian_root.sh

root= demoOnly=
binds=()
while (($#)); do
  case "$1" in
    --root) root=$2; shift 2 ;;
    --bind) binds+=("$2"); shift 2 ;;
    --demo-only) demoOnly=1; shift ;;
    -h | --help) sed -n '2,10s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) echo "fresh_machine.sh: unknown argument $1 (see --help)" >&2; exit 2 ;;
  esac
done
prepareRoot

echo "making an empty Debian 12 in $root"
makeDebian bookworm
for folder in /proc /sys /dev "${binds[@]}"; do
  show "$folder"
done
copySettings /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list
git clone -q "file://$PWD" "$root/root/fairlead"
mapfile -t variables < <(passedVariables)
variables+=("HOME=/root" "PATH=/usr/sbin:/usr/bin:/sbin:/bin" "LANG=C.UTF-8")

status=0
readme() { # VERB: one of README's two commands
  local start=$SECONDS
  chroot "$root" env -i "${variables[@]}" bash -c "cd /root/fairlead && exec ./run $1" >"$root.$1.log" 2>&1 ||
    status=1
  echo "./run $1: $((SECONDS - start)) s; its last lines ($root.$1.log):"
  tail -n 4 "$root.$1.log" | sed 's/^/    /'
}
readme demo
[[ -n $demoOnly ]] || readme test
exit "$status"
