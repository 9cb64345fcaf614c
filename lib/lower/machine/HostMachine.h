/// The machine that host code is compiled for.
#pragma once

#include <string>

#include "fairlead/Target.h"

namespace fairlead::lower {

struct HostMachine {
  std::string triple;   ///< "x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"
  std::string cpu;      ///< LLVM's name: "znver4", "x86-64-v3", "generic"
  std::string features; ///< "+avx2,-avx512f"

  bool isX86() const { return triple.starts_with("x86_64"); }
  /// All fields as one string, for keys.
  std::string str() const { return triple + " " + cpu + " " + features; }

  /// The machine that this process runs on.
  static const HostMachine &native();
  /// Any machine of this architecture. The host side of GPU code is compiled for it.
  static const HostMachine &portable();
  /// The machine that CompileOptions::host names, or any of this one's kind if it is empty. Throws
  /// fairlead::Error (HostUnknown).
  static HostMachine portable(const std::string &host);
  /// For a target of a compile with CompileOptions::host. Throws fairlead::Error (HostUnknown,
  /// HostTarget).
  static HostMachine of(const std::string &host, const Target &target);
};

} // namespace fairlead::lower
