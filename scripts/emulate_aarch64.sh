#!/bin/sh
# Runs a program for 64-bit ARM: emulate_aarch64.sh SYSROOT PROGRAM ARGUMENT...
# CMake's emulator gets scripts too, such as the target's Python, which is one that calls qemu itself.
sysroot=$1
shift
case $(head -c 2 "$1") in
  "#!") exec "$@" ;;
  *) exec "${FAIRLEAD_QEMU:-qemu-aarch64-static}" -L "$sysroot" "$@" ;;
esac
