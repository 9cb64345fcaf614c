#include "artifact/CrashReport.h"

#include <cstdlib>

#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/TargetParser/Host.h"

#include "artifact/CompileKey.h"
#include "base/Files.h"
#include "fairlead/Diagnostics.h"
#include "lower/machine/HostMachine.h"

namespace fairlead {
namespace {

std::string folder() {
  for (const char *name : {"FAIRLEAD_REPORT_DIR", "TMPDIR"})
    if (const char *value = std::getenv(name); value && *value)
      return value;
  return "/tmp";
}

/// The path of a new file with that text; where there can be none, why.
std::string writeReport(const std::string &text) {
  std::string path = folder() + "/fairlead-report-XXXXXX.txt";
  const OwnedDescriptor file(mkstemps(path.data(), 4));
  if (!file)
    return "none: " + folder() + " cannot be written";
  return writeAll(file.get(), text) ? path : path + " (cut short: the disk is full)";
}

} // namespace

void reportCrash(const lower::Crash &crash, const std::string &function,
                 const std::vector<Target> &targets, const std::string &options,
                 const std::string &traced) {
  const lower::HostMachine &machine = lower::HostMachine::native();
  std::string text = "Fairlead's compiler stopped.\n\nstage: " + crash.stage +
                     "\nreason: " + crash.reason + "\nfunction: " + function +
                     "\ntargets: " + joinTargets(targets) + "\noptions: " + options +
                     "\nbuild: " + llvm::toHex(buildIdentity(), /*LowerCase=*/true) +
                     "\nLLVM: " LLVM_VERSION_STRING + "\nmachine: " + machine.str() + "\n";
  text += "\n--- what it worked on ---\n" +
          (crash.ir.empty() ? std::string("(could not be printed)\n") : crash.ir);
  if (!traced.empty())
    text += "\n--- the program as it was traced ---\n" + traced;
  throw makeError(Diagnostic::CompilerCrash, {{"function", function},
                                              {"targets", joinTargets(targets)},
                                              {"stage", crash.stage},
                                              {"reason", crash.reason},
                                              {"report", writeReport(text)}});
}

} // namespace fairlead
