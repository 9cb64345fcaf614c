# What the scripts of this folder share that try something in a Debian root of their own; they source it after they
# have set `root` (empty: a new folder under /var/tmp, removed at the end).

# prepareRoot: checks that such a root can be made; sets `root` and `log`, and has mounts undone at the end.
prepareRoot() {
  local script
  script=$(basename "$0")
  [[ $(id -u) == 0 ]] || { echo "$script: only root makes such a root" >&2; exit 2; }
  command -v debootstrap >/dev/null || apt-get install -y -q --no-install-recommends debootstrap >/dev/null
  keep=$root mounted=()
  [[ -n $root ]] || root=$(mktemp -d "/var/tmp/fairlead-${script%.sh}-XXXXXX")
  mkdir -p "$root"
  chmod 755 "$root" # users without rights run programs there
  log=$root.log
  trap removeRoot EXIT
}

removeRoot() {
  local index
  for ((index = ${#mounted[@]} - 1; index >= 0; --index)); do
    umount -l "${mounted[index]}" || true
  done
  [[ -n $keep ]] || rm -rf --one-file-system "$root"
}

# makeDebian SUITE [PACKAGE,...]: an empty system with these packages.
makeDebian() {
  mirror=$(sed -n -E 's/^(URIs:|deb) +(\[[^]]*\] +)?(https?:[^ ]*debian\/?)( .*)?$/\3/p' \
    /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | grep -v security | head -n 1 || true)
  mirror=${mirror:-http://deb.debian.org/debian}
  debootstrap --variant=minbase --include="ca-certificates${2:+,$2}" "$1" "$root" "$mirror" >"$log" 2>&1 ||
    { tail -n 5 "$log" >&2; exit 1; }
}

# show FOLDER: the same folder in the root.
show() {
  mkdir -p "$root$1"
  mount --rbind "$1" "$root$1"
  mount --make-rslave "$root$1"
  mounted+=("$root$1")
}

# copySettings [PATH...]: how apt and pip reach their sources here, and these.
copySettings() {
  local path settings=(/etc/resolv.conf /etc/pip.conf /etc/xdg/pip /etc/ssl/certs /usr/local/share/ca-certificates "$@")
  while IFS= read -r path; do
    settings+=("$path")
  done < <(grep -l '^Acquire' /etc/apt/apt.conf.d/* 2>/dev/null || true)
  for path in "${settings[@]}"; do
    [[ -e $path ]] || continue
    mkdir -p "$root$(dirname "$path")"
    rm -rf "${root:?}$path"
    cp -rL "$path" "$root$path"
  done
}

# passedVariables: the environment's variables that pip and apt need, a line each.
passedVariables() {
  env | grep -E '^(PIP_|SSL_CERT_|(http|https|no)_proxy=)' || true
}
