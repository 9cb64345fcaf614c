#include "artifact/CrashReport.h"

#include <cstdlib>
#include <unistd.h>

#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/TargetParser/Host.h"

#include "artifact/BuildIdentity.h"
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
  const int file = mkstemps(path.data(), 4);
  if (file < 0)
    return "none: " + folder() + " cannot be written";
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = write(file, text.data() + done, text.size() - done);
    if (count <= 0)
      break;
    done += static_cast<size_t>(count);
  }
  close(file);
  return done == text.size() ? path : path + " (cut short: the disk is full)";
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
