/// Lowers a traced program given as MLIR text and prints one stage, for the FileCheck tests.
///
///     fairlead-lower FILE --target=cpu|cuda:sm_XX --print=STAGE
///     [--opt-level=N] [--line-info=1] [--fmad=0]
///
/// Stages of a compile: `mlir` (launches and kernels are lowered), `lowered` (LLVM IR before it is
/// optimised, for fairlead-llvm-opt), `llvm` (optimised), `ptx`. Single steps: `divergence`
/// (on each operation of a kernel, how its result differs between threads), `restored` (the program
/// after it was lowered once and given back by ProgramCopies).
#include <cstring>
#include <iostream>

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

#include "dsl/trace/Builder.h"
#include "fairlead/Error.h"
#include "lower/Lowering.h"
#include "lower/common/Passes.h"
#include "lower/common/ProgramCopies.h"
#include "lower/cpu/collective/Models.h"
#include "lower/cpu/fission/Uniformity.h"

using namespace fairlead;

namespace {

std::string option(int argc, char **argv, const char *name, const char *fallback) {
  std::string prefix = std::string("--") + name + "=";
  for (int i = 1; i < argc; ++i)
    if (std::string(argv[i]).rfind(prefix, 0) == 0)
      return argv[i] + prefix.size();
  return fallback;
}

/// A program whose module comes from a file instead of from tracing.
dsl::Program parseProgram(const char *path, const Target &target) {
  dsl::Program program(Signature{"test", {}, {}, {}}, {target});
  dsl::Program::Impl &impl = program.impl();
  impl.module = mlir::parseSourceFile<mlir::ModuleOp>(path, impl.context.get());
  if (!impl.module)
    throw Error("ValueError", std::string("cannot parse ") + path);
  impl.device = impl.module->lookupSymbol<mlir::gpu::GPUModuleOp>(dsl::kDeviceModuleSymbol);
  impl.host = impl.module->lookupSymbol<mlir::func::FuncOp>(dsl::kHostSymbol);
  return program;
}

void printMlir(dsl::Program &program, const TargetInfo &target) {
  mlir::ModuleOp module = *program.impl().module;
  lower::annotateBlockSizes(module);
  mlir::PassManager pm(module->getName());
  // Launches name kernels that the block functions pass makes: the module is whole, and verified,
  // after both.
  pm.enableVerifier(false);
  pm.addPass(lower::createLowerLaunchesPass(target));
  if (!target.kernelsInImages)
    pm.addPass(lower::createBlockFunctionsPass());
  if (mlir::failed(pm.run(module)) || mlir::failed(mlir::verify(module)))
    throw Error("RuntimeError", "the passes left an invalid module");
  module->print(llvm::outs());
}

void printDivergence(dsl::Program &program) {
  constexpr const char *kNames[] = {"block",           "warpgroup", "warp index", "warp",
                                    "warpgroup index", "lane",      "any"};
  lower::loadCollectiveModels(*program.impl().context);
  mlir::Builder b(program.impl().context.get());
  program.impl().device.walk([&](mlir::gpu::GPUFuncOp kernel) {
    lower::Uniformity uniform(kernel);
    kernel.walk([&](mlir::Operation *op) {
      if (op->getNumResults())
        op->setAttr("divergence",
                    b.getStringAttr(kNames[static_cast<int>(uniform.of(op->getResult(0)))]));
    });
  });
  program.impl().module->print(llvm::outs());
}

void printRestored(dsl::Program &program, const CompileOptions &options) {
  lower::ProgramCopies copies(program);
  lower::PhaseTimer timer;
  lower::TargetLowering::get(options.target).lower(program, options, timer);
  copies.restore();
  program.impl().module->print(llvm::outs());
}

int run(int argc, char **argv) {
  if (argc < 2 || argv[1][0] == '-') {
    std::cerr << "usage: fairlead-lower FILE --target=cpu|cuda:sm_XX --print=mlir|lowered|llvm|ptx"
                 "|divergence|restored [--opt-level=N] [--line-info=1] [--fmad=0]\n";
    return 2;
  }
  CompileOptions options;
  options.target = Target::parse(option(argc, argv, "target", "cpu"), "option --target");
  options.optLevel = std::stoi(option(argc, argv, "opt-level", "3"));
  options.fuseMultiplyAdds = option(argc, argv, "fmad", "1") == "1";
  options.lineInfo = option(argc, argv, "line-info", "0") == "1";
  std::string print = option(argc, argv, "print", "llvm");
  dsl::Program program = parseProgram(argv[1], options.target);
  if (print == "mlir") {
    printMlir(program, options.target.info());
    return 0;
  }
  if (print == "divergence") {
    printDivergence(program);
    return 0;
  }
  if (print == "restored") {
    printRestored(program, options);
    return 0;
  }
  lower::PhaseTimer timer;
  const auto &lowering = lower::TargetLowering::get(options.target);
  lower::Lowered lowered = lowering.lower(program, options, timer);
  if (print == "ptx") {
    llvm::outs() << lowered.device.ptx;
    return 0;
  }
  if (print != "lowered")
    lowering.optimize(lowered, options);
  lowered.module->print(llvm::outs(), nullptr);
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception &error) {
    std::cerr << "fairlead-lower: " << error.what() << "\n";
    return 1;
  }
}
