/// LLVM IR of kernels -> PTX text.
#pragma once

#include <string>

#include "llvm/IR/Module.h"

#include "fairlead/Target.h"

namespace llvm {
class LoopInfo;
class ScalarEvolution;
} // namespace llvm

namespace fairlead::lower {

/// Optimises the module at level 0..3 and emits PTX for the CUDA target. Links libdevice if math
/// functions need it. `leastPtx`: the PTX ISA that its instructions need, 10 * major + minor.
/// Throws fairlead::Error.
std::string emitPtx(llvm::Module &module, const Target &target, int optLevel, int leastPtx);

/// Bitcode for nvptx64 of the `__nv_*` functions that the DSL uses
/// (lower/nvidia/ptx/math/Functions.c).
llvm::StringRef ownMathFunctions();

/// Links the definitions of the `__nv_*` functions that the module calls, as internal functions.
/// Throws fairlead::Error (MathLibraryMissing) naming the functions that the library lacks.
void linkLibdevice(llvm::Module &module);

/// Packs arrays of integers of 4 or 8 bits that are only accessed at constant places into words,
/// before optimization, so that they become registers.
void packNarrowArrays(llvm::Module &module);

/// Has small loops with few, constant rounds unrolled if they index arrays in private memory by the
/// round: arrays are in registers only if all places are constant.
void unrollArrayLoops(const llvm::LoopInfo &loops, llvm::ScalarEvolution &evolution);

/// Replaces, after optimization, pairs of 16-bit phis that only make words by phis of words.
void carryWords(llvm::Module &module);

/// Rewrites, after optimization, pairs of conversions to 16 bits that make a word; for sm_80 and
/// up. `early`: a pair is converted where its numbers are computed, not where the word is used;
/// `computes`: and is computed as a pair, which needs sm_100.
void packConversions(llvm::Module &module, bool early, bool computes);

/// Computes, after optimization, two numbers by one instruction if they become neighbouring
/// elements of a vector of 16-bit floats; for sm_100 and up.
void computePairs(llvm::Module &module);

/// Converts, after optimization, the 16-bit floats of neighbouring stores to global memory before
/// the first of the stores, so that ptxas does not spread the stores over the computation; for
/// sm_80 and up.
void packStores(llvm::Module &module);

/// Has kernels compute, after optimization, the index of the warp once and as a uniform number.
/// `readsLanes`: lanes read their index in place of computing it.
void shareWarpIndices(llvm::Module &module, bool readsLanes);

/// Computes, after optimization, indices of blocks and extents of grids again where warps change
/// the number of their registers; for sm_100 and up.
void repeatBlockIndices(llvm::Module &module);

/// Rewrites, after optimization, addresses in shared memory so that constants in them are offsets.
void splitSharedAddresses(llvm::Module &module);

/// The same, with sums of 32 bits; for sm_100 and up.
void splitSharedWords(llvm::Module &module);

/// True if the sums of the products of warps in a round of an innermost loop take three quarters of
/// the registers, as attention's do.
bool fillsRegisters(llvm::Module &module);

/// Computes, after optimization, addresses in shared memory that such a loop does not change again
/// in each of its rounds.
void repeatSharedAddresses(llvm::Module &module);

/// Computes, after optimization, addresses in shared memory in 32 bits if only their numbers are
/// used, as mbarriers' are.
void narrowSharedNumbers(llvm::Module &module);

/// Computes, after optimization, descriptors of wgmma from others in the same block that differ by
/// a number.
void shareDescriptors(llvm::Module &module);

/// Adds up, after optimization, the offsets of addresses outside shared memory before it scales
/// them. Offsets that all threads of a block share come first.
void sumOffsets(llvm::Module &module);

/// Copies, after optimization, comparisons to the branches that they decide.
void compareAtBranches(llvm::Module &module);

/// Moves, after optimization, additions to sums of loops to where their operands are computed, if
/// that is in another block.
void addToSumsEarly(llvm::Module &module);

/// Unpacks, after optimization, sums of 16 bits where they are used and not where their product is:
/// a warpgroup's product writes its registers until the wait.
void unpackSumsLate(llvm::Module &module);

/// Writes atomic operations with an order, or for the whole system, as PTX, since the back end
/// drops both.
void orderAtomics(llvm::Module &module);

/// True for global addresses, including generic addresses in a kernel's parameters.
bool isGlobal(const llvm::Value *address);

/// Has the maximum or minimum of up to 64 numbers be taken, after optimization, one number at a
/// time.
void chainExtremes(llvm::Module &module);

/// Moves, after optimization, computations behind the loads from tensor memory before which nothing
/// uses them. ptxas would compute them while the results of the load are live. Divisions stay,
/// which take many registers.
void computeBehindLoads(llvm::Module &module);

/// Has ptxas leave loops as they are if kernels read tensor memory. The rounds of their loops wait
/// at barriers, so unrolled rounds overlap little and take more registers. ptxas ignores such a
/// note at the loops themselves.
void keepLoops(llvm::Module &module);

/// Splits loads of 16 bytes, after optimization, if more of them are live at once than ptxas has
/// registers for.
void splitKeptLoads(llvm::Module &module);

/// Rewrites, after optimization, patterns that ptxas is known to miscompile.
void avoidAssemblerBugs(llvm::Module &module);

} // namespace fairlead::lower
