/// The project's own MLIR passes and the pipelines made of them.
#pragma once

#include <memory>
#include <string>

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "llvm/IR/Module.h"

#include "fairlead/TargetInfo.h"

namespace mlir {

class Operation;

class OpPassManager;
namespace gpu {
class GPUModuleOp;
}

} // namespace mlir

namespace fairlead::lower {

/// Annotates every kernel with the block extents that all its launches agree on (gpu.func's
/// known_block_size), and copies of one thread with a flag if the program has chosen it.
void annotateBlockSizes(mlir::ModuleOp module);

/// In kernels, a sum or difference of Float32 or Float64 with a product in it becomes one fused
/// multiply-add, even if the product has other uses. If both operands are products, fuses the left.
void fuseMultiplyAdds(mlir::gpu::GPUModuleOp kernels);

/// gpu.launch_func in host functions -> calls of the runtime.
std::unique_ptr<mlir::Pass> createLowerLaunchesPass(const TargetInfo &target);

/// Every gpu.func -> an llvm.func of type FairleadCpuKernel that runs one block: loops over its
/// threads. The gpu.module goes.
std::unique_ptr<mlir::Pass> createBlockFunctionsPass();

/// gpu.printf of host functions and block functions -> calls of the runtime (FairleadPrintf).
std::unique_ptr<mlir::Pass> createPrintCallsPass();

/// cf.assert of host functions and block functions -> calls of the runtime (FairleadRaise,
/// FairleadCpuAssert).
std::unique_ptr<mlir::Pass> createAssertCallsPass();

/// Converts loops with steps above 1 to loops over their trip count: scf.for also adds its step to
/// the last number, which may overflow the type.
std::unique_ptr<mlir::Pass> createTripCountsPass();

/// Mathematical functions of host functions and block functions -> calls of our own
/// (HostPasses.h), without fast forms.
std::unique_ptr<mlir::Pass> createMathCallsPass();

/// Hides constants from the mathematical functions of GPU kernels: folding would give this
/// machine's values.
void keepMathOfConstants(mlir::Operation *root);

/// The scf dialect -> blocks with branches, without the cost of a dialect conversion.
std::unique_ptr<mlir::Pass> createBranchesPass();

/// Arithmetic with equal LLVM operations -> the LLVM dialect, without a dialect conversion's cost.
std::unique_ptr<mlir::Pass> createDirectOpsPass();

/// Structured control flow, arithmetic and math of host functions -> LLVM dialect.
void addHostToLLVM(mlir::OpPassManager &pm);

/// Verifies that the program is valid MLIR. Throws Crash if not, because tracing should always
/// produce valid IR.
void verifyTraced(mlir::Operation *root);

/// fairlead.cover in host functions and kernels -> calls of the runtime (FairleadCover).
void lowerCoverage(mlir::ModuleOp module);
/// Removes fairlead.cover: GPUs report nothing.
void dropCoverage(mlir::ModuleOp module);

/// Events of timelines -> calls of the runtime (fairlead/Timeline.h), for the CPU.
void lowerTimelineForCpu(mlir::ModuleOp module);
/// Events of timelines -> code that writes them to a buffer on the GPU, and calls of the host
/// program that tell their names.
void lowerTimelineForCuda(mlir::ModuleOp module);

/// Runs the pipeline that `fill` makes; throws Crash with MLIR's diagnostics, as no program that is
/// traced should make it fail.
void runPasses(mlir::Operation *root, llvm::function_ref<void(mlir::OpPassManager &)> fill,
               const char *stage);

/// DWARF, or the `.loc` directives of PTX, which ptxas turns into a table.
enum class LineTableForm { Dwarf, Directives };

/// Gives functions in the LLVM dialect and their operations the debug information that line
/// tables are made of.
void addLineInfo(mlir::Operation *root, LineTableForm form);

/// Module in the LLVM dialect -> LLVM IR. Throws like runPasses.
std::unique_ptr<llvm::Module> translate(mlir::Operation *root, llvm::LLVMContext &context,
                                        const char *name);

/// Makes conversions of floats to integers give the same result everywhere for numbers that do not
/// fit: the nearest integer of the type, and 0 for NaN. LLVM leaves those undefined and folds such
/// constants while it builds its IR. So this runs on operations of the LLVM dialect, before the
/// translation.
void saturateConversions(mlir::Operation *root);

/// Clamps integers that are too large for a half before the conversion. LLVM counts only the
/// significant bits of a number, not its size. It takes a large power of two to be exact as a half,
/// and folds its conversion back to the number instead of an infinity.
void boundConversionsToHalf(mlir::Operation *root);

} // namespace fairlead::lower
