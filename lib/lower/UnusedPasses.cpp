/// Passes of LLVM's default pipelines that do nothing in programs of Fairlead, defined here in a
/// line each: the linker then takes LLVM's own, and what only they need, from no archive.
/// libfairlead.so is 1.4 MB smaller for it.
///
/// Each returns at once in LLVM, too: there is no OpenMP in a program, no profile of an earlier run
/// is given, and Attributor and IROutliner run by options of LLVM's command line alone. Should a
/// later release of LLVM need another symbol of these files, the linker finds two definitions and
/// says so.
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Transforms/IPO/Attributor.h"
#include "llvm/Transforms/IPO/IROutliner.h"
#include "llvm/Transforms/IPO/OpenMPOpt.h"
#include "llvm/Transforms/IPO/SampleProfile.h"

using namespace llvm;

#define UNUSED_MODULE_PASS(name)                                                                   \
  PreservedAnalyses name::run(Module &, ModuleAnalysisManager &) {                                 \
    return PreservedAnalyses::all();                                                               \
  }
#define UNUSED_CGSCC_PASS(name)                                                                    \
  PreservedAnalyses name::run(LazyCallGraph::SCC &, CGSCCAnalysisManager &, LazyCallGraph &,       \
                              CGSCCUpdateResult &) {                                               \
    return PreservedAnalyses::all();                                                               \
  }

UNUSED_MODULE_PASS(OpenMPOptPass)
UNUSED_CGSCC_PASS(OpenMPOptCGSCCPass)
UNUSED_MODULE_PASS(AttributorPass)
UNUSED_MODULE_PASS(AttributorLightPass)
UNUSED_CGSCC_PASS(AttributorCGSCCPass)
UNUSED_CGSCC_PASS(AttributorLightCGSCCPass)
UNUSED_MODULE_PASS(IROutlinerPass)
UNUSED_MODULE_PASS(SampleProfileLoaderPass)

SampleProfileLoaderPass::SampleProfileLoaderPass(std::string, std::string, ThinOrFullLTOPhase phase,
                                                 IntrusiveRefCntPtr<vfs::FileSystem>, bool, bool)
    : LTOPhase(phase) {}
