/// Passes of LLVM's default pipelines that do nothing in programs of Fairlead, defined here in a
/// line each: the linker then takes LLVM's own, and what only they need, from no archive.
/// libfairlead.so is 1.4 MB smaller for it.
///
/// LLVM's own ones do nothing here either: programs have no OpenMP, compiles have no profile, and
/// only options of LLVM's command line enable Attributor and IROutliner. If a later release of LLVM
/// needs another symbol of these files, the linker finds two definitions and reports an
/// error.
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
