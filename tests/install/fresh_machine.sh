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

root= keep= demoOnly=
binds=()
while (($#)); do
  case "$1" in
    --root) root=$2 keep=1; shift 2 ;;
    --bind) binds+=("$2"); shift 2 ;;
    --demo-only) demoOnly=1; shift ;;
    -h | --help) sed -n '2,10s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) echo "fresh_machine.sh: unknown argument $1 (see --help)" >&2; exit 2 ;;
  esac
done
[[ $(id -u) == 0 ]] || { echo "fresh_machine.sh: only root makes such a root" >&2; exit 2; }
command -v debootstrap >/dev/null || apt-get install -y -q --no-install-recommends debootstrap >/dev/null
[[ -n $root ]] || root=$(mktemp -d /var/tmp/fairlead-root-XXXXXX)
mkdir -p "$root"
log=$root.log

mounted=()
cleanUp() {
  local place
  for ((i = ${#mounted[@]} - 1; i >= 0; --i)); do
    umount -l "${mounted[i]}" || true
  done
  [[ -n $keep ]] || rm -rf --one-file-system "$root"
}
trap cleanUp EXIT

echo "making an empty Debian 12 in $root"
mirror=$(sed -n -E 's/^(URIs:|deb) +(\[[^]]*\] +)?(https?:[^ ]*debian\/?)( .*)?$/\3/p' \
  /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | grep -v security | head -n 1 || true)
debootstrap --variant=minbase --include=ca-certificates bookworm "$root" "${mirror:-http://deb.debian.org/debian}" \
  >"$log" 2>&1 || { tail -n 5 "$log" >&2; exit 1; }

show() { # FOLDER: the same folder in the root
  mkdir -p "$root$1"
  mount --rbind "$1" "$root$1"
  mount --make-rslave "$root$1"
  mounted+=("$root$1")
}
show /proc
show /sys
show /dev
for folder in "${binds[@]}"; do
  show "$folder"
done
settings=(/etc/resolv.conf /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list /etc/pip.conf /etc/xdg/pip
  /etc/ssl/certs /usr/local/share/ca-certificates)
while IFS= read -r path; do # how apt reaches its sources
  settings+=("$path")
done < <(grep -l '^Acquire' /etc/apt/apt.conf.d/* 2>/dev/null || true)
for path in "${settings[@]}"; do
  [[ -e $path ]] || continue
  mkdir -p "$root$(dirname "$path")"
  rm -rf "${root:?}$path"
  cp -rL "$path" "$root$path"
done
git clone -q "file://$PWD" "$root/root/fairlead"
variables=("HOME=/root" "PATH=/usr/sbin:/usr/bin:/sbin:/bin" "LANG=C.UTF-8")
while IFS= read -r variable; do
  variables+=("$variable")
done < <(env | grep -E '^(PIP_|SSL_CERT_|(http|https|no)_proxy=)' || true)

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
