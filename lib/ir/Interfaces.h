/// The interfaces of Interfaces.td, and traits that implement them. Passes and checks include this
/// instead of Ops.h.
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "fairlead/GpuArch.h"
#include "fairlead/TargetInfo.h"

namespace fairlead::ir {

/// The threads that execute an operation together.
enum class Scope : uint8_t { Lane, Warp, Warpgroup, Block, Cluster };

/// An asynchronous part of a GPU.
enum class Engine {
  ElementCopies,  ///< cp.async
  BulkCopies,     ///< cp.async.bulk
  RemoteStores,   ///< st.async
  Products,       ///< wgmma
  TensorProducts, ///< tcgen05.mma
};

} // namespace fairlead::ir

#include "ir/Interfaces.h.inc"

namespace fairlead::ir {

/// See Base.td.
struct ProgramOrder : mlir::SideEffects::Resource::Base<ProgramOrder> {
  llvm::StringRef getName() final { return "program order"; }
};

/// See Base.td.
template <typename Concrete>
class IssuedByOneLane : public mlir::OpTrait::TraitBase<Concrete, IssuedByOneLane> {};

/// See TensorMemory.td.
template <typename Concrete>
class UsesTensorMemory : public mlir::OpTrait::TraitBase<Concrete, UsesTensorMemory> {};

/// See Interfaces.td.
template <GpuFeature kFeature, int kPtx> struct Needs {
  template <typename Concrete> class Impl : public mlir::OpTrait::TraitBase<Concrete, Impl> {
  public:
    static std::optional<GpuFeature> getRequiredFeature() { return kFeature; }
    static int getLeastPtx() { return kPtx; }
  };
};

/// Text as a template argument.
template <size_t kSize> struct TextArgument {
  consteval TextArgument(const char (&text)[kSize]) { std::copy_n(text, kSize, characters); }
  char characters[kSize];
};

/// Return the text with the operation's attributes in it: see Ptx of Interfaces.td.
std::string ptxWithAttributes(mlir::Operation *op, llvm::StringRef text);

/// See Interfaces.td.
template <TextArgument kText> struct Ptx {
  template <typename Concrete> class Impl : public mlir::OpTrait::TraitBase<Concrete, Impl> {
  public:
    std::string getPtx() { return ptxWithAttributes(this->getOperation(), kText.characters); }
  };
};

/// See Interfaces.td.
template <Engine kEngine> struct Async {
  template <typename Concrete> class Impl : public mlir::OpTrait::TraitBase<Concrete, Impl> {
  public:
    static Engine getEngine() { return kEngine; }
  };
};

/// See Interfaces.td.
template <Scope kScope> struct Collective {
  static constexpr int kThreads = kScope == Scope::Warp        ? TargetInfo::kWarpThreads
                                  : kScope == Scope::Warpgroup ? TargetInfo::kWarpgroupThreads
                                                               : 1;
  /// True if a block of `threads` threads consists of whole groups.
  static bool isTakenByAll(std::optional<int64_t> threads) {
    return kThreads > 1 && threads && *threads % kThreads == 0;
  }
  template <typename Concrete> class Impl : public mlir::OpTrait::TraitBase<Concrete, Impl> {
  public:
    static Scope getScope() { return kScope; }
    static bool takesAll(std::optional<int64_t> threads) { return isTakenByAll(threads); }
    static bool isAligned() { return kThreads > 1; }
  };
};

/// Attaches the dialect's interfaces to operations of other dialects. The context has loaded the
/// dialects LLVM and NVVM.
void attachForeignModels(mlir::MLIRContext &context);

} // namespace fairlead::ir
