#!/bin/sh
# Runs a command of which programs for 64-bit ARM may be part, at any depth: run_aarch64.sh COMMAND ARGUMENT...
# The kernel hands them to qemu, by a table of formats of its own (a user namespace, Linux 6.7) unless the machine's has an entry.
set -eu
if [ -e /proc/sys/fs/binfmt_misc/qemu-aarch64 ]; then
  exec "$@"
fi
if [ "${FAIRLEAD_IN_NAMESPACE:-}" != 1 ]; then
  exec env FAIRLEAD_IN_NAMESPACE=1 unshare --user --map-root-user --mount "$0" "$@"
fi
unset FAIRLEAD_IN_NAMESPACE
if ! mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc; then
  echo "$0: needs Linux 6.7, or an entry for qemu-aarch64 in binfmt_misc (Debian's package binfmt-support)" >&2
  exit 1
fi
# Credentials are not the program's (no C), the file is opened now (F), and argv[0] stays (P), as Debian has it.
cat /usr/lib/binfmt.d/qemu-aarch64.conf > /proc/sys/fs/binfmt_misc/register
exec "$@"
