/// What a launch in a traced module carries besides what gpu.launch_func has. Internal to lib/dsl
/// and lib/lower.
#ifndef FAIRLEAD_LIB_DSL_LAUNCHOP_H_
#define FAIRLEAD_LIB_DSL_LAUNCHOP_H_

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include "dsl/atom/AtomOps.h"
#include "fairlead/dsl/Program.h"

namespace fairlead::dsl {

/// The attribute of launches that holds FairleadLaunch::flags.
inline constexpr char kLaunchFlags[] = "launch_flags";

/// What a launch takes as its stream where it asks for more than that: the members of
/// FairleadLaunchExtras that are values (three extents of the preferred cluster, two events), then
/// the stream, if it has one. The other members are attributes.
class LaunchExtrasOp : public AtomOp<LaunchExtrasOp> {
public:
  using AtomOp::AtomOp;
  static constexpr int kNumValues = 5;
  static llvm::StringRef getOperationName() { return "fairlead.launch_extras"; }
  static llvm::ArrayRef<llvm::StringRef> getAttributeNames() {
    static const llvm::StringRef names[] = {"carveout", "completion_flags", "programmatic_flags",
                                            "trigger_at_start"};
    return names;
  }
  int64_t number(llvm::StringRef name) {
    return (*this)->getAttrOfType<mlir::IntegerAttr>(name).getInt();
  }
  mlir::Value stream() {
    return getNumOperands() > kNumValues ? getOperand(kNumValues) : mlir::Value();
  }
};

/// Launches a kernel; `stream` and what is beyond it as the caller has made them.
mlir::gpu::LaunchFuncOp emitLaunch(Program::Impl &impl, const Kernel &kernel,
                                   const LaunchConfig &config, mlir::Value stream);

} // namespace fairlead::dsl

MLIR_DECLARE_EXPLICIT_TYPE_ID(fairlead::dsl::LaunchExtrasOp)

#endif // FAIRLEAD_LIB_DSL_LAUNCHOP_H_
