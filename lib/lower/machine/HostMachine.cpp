#include "lower/machine/HostMachine.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <vector>

#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#include "fairlead/Diagnostics.h"
#include "fairlead/Runtime.h"

namespace fairlead::lower {
namespace {

constexpr char kArm[] = "aarch64-unknown-linux-gnu", kX86[] = "x86_64-unknown-linux-gnu";

HostMachine askNative() {
  HostMachine machine{llvm::sys::getProcessTriple(), llvm::sys::getHostCPUName().str(), ""};
  // FAIRLEAD_CPU_LEVEL also limits the processor that code is compiled for.
  if (const char *level = std::getenv("FAIRLEAD_CPU_LEVEL"); level && *level && machine.isX86()) {
    int cpuLevel = std::max(FairleadCpuLevel(), 1);
    machine.cpu = cpuLevel == 1 ? "x86-64" : "x86-64-v" + std::to_string(cpuLevel);
    return machine;
  }
  std::vector<std::string> words;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    words.push_back((feature.second ? "+" : "-") + feature.first().str());
  std::sort(words.begin(), words.end());
  if (!machine.isX86())
    words.insert(words.end(), {"-sve", "-sme"}); // kernels use NEON: nothing else has been tried
  for (const std::string &word : words)
    machine.features += (machine.features.empty() ? "" : ",") + word;
  return machine;
}

/// Parses the name of a machine.
HostMachine parseHost(const std::string &host) {
  auto fail = [&](const std::string &reason) {
    throw makeError(Diagnostic::HostUnknown, {{"got", host}, {"reason", reason}});
  };
  HostMachine machine;
  auto setTriple = [&](const std::string &text) {
    llvm::Triple triple(llvm::Triple::normalize(text));
    if (!triple.isOSLinux() || (!triple.isAArch64(64) && triple.getArch() != llvm::Triple::x86_64))
      fail("; the target of " + text + " is not registered");
    machine.triple = triple.isAArch64(64) ? kArm : kX86;
    machine.cpu = triple.isAArch64(64) ? "generic" : "x86-64";
  };
  if (host == "linux-aarch64" || host == "linux-x86_64") {
    setTriple(host == "linux-aarch64" ? kArm : kX86);
    return machine;
  }
  std::istringstream words(host);
  std::string word, cpu;
  words >> word;
  if (word != "llvm") {
    if (host.find('-') == std::string::npos || host.find(' ') != std::string::npos)
      fail("");
    setTriple(host);
    return machine;
  }
  while (words >> word) {
    auto equals = word.find('=');
    std::string name = word.substr(0, equals),
                value = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (value.empty())
      fail("; `" + word + "` has no value");
    if (name == "-mtriple")
      setTriple(value);
    else if (name == "-mcpu")
      cpu = value;
    else if (name == "-mattr")
      machine.features = value;
    else
      fail("; `" + name + "` is no option of it");
  }
  if (machine.triple.empty())
    fail("; it names no triple");
  if (!cpu.empty())
    machine.cpu = cpu;
  return machine;
}

} // namespace

const HostMachine &HostMachine::native() {
  static const HostMachine *machine = new HostMachine(askNative());
  return *machine;
}

const HostMachine &HostMachine::portable() {
  static const HostMachine *machine = [] {
    auto *made = new HostMachine(native());
    made->cpu = made->isX86() ? "x86-64" : "generic";
    made->features.clear();
    return made;
  }();
  return *machine;
}

HostMachine HostMachine::portable(const std::string &host) {
  return host.empty() ? portable() : parseHost(host);
}

HostMachine HostMachine::of(const std::string &host, const Target &target) {
  if (host.empty() && target.isForThisMachine())
    return native();
  HostMachine machine = portable(host);
  if (!target.cpuLevel())
    return machine;
  if (!machine.isX86())
    throw makeError(Diagnostic::HostTarget, {{"target", target.str()}, {"host", machine.triple}});
  machine.cpu = target.arch;
  return machine;
}

} // namespace fairlead::lower
