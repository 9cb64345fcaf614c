// What passes and checks ask operations, so that they need not know them one by one.
#ifndef FAIRLEAD_LIB_IR_INTERFACES_TD_
#define FAIRLEAD_LIB_IR_INTERFACES_TD_

include "mlir/IR/OpBase.td"

class Fairlead_Interface<string name> : OpInterface<name> {
  let cppNamespace = "::fairlead::ir";
}

def TargetRequirements : Fairlead_Interface<"TargetRequirements"> {
  let description = [{
    What an operation's instruction requires of the target. Operations without this interface run on every GPU.
  }];
  let methods = [
    InterfaceMethod<"Returns the feature that the GPU must have, or nothing if every GPU has the instruction.",
                    "std::optional<::fairlead::GpuFeature>", "getRequiredFeature">,
    InterfaceMethod<"Returns the first PTX ISA version with the instruction, as 10 * major + minor.",
                    "int", "getLeastPtx">
  ];
}

class NeedsTrait<string feature, int ptx>
    : ParamNativeOpTrait<"Needs", "::fairlead::GpuFeature::" # feature # ", " # !cast<string>(ptx)> {
  let cppNamespace = "::fairlead::ir";
}
// TargetRequirements that do not depend on operands or attributes: a feature of GpuArchs.def, and a PTX ISA version.
class Needs<string feature, int ptx = 80> : TraitList<[TargetRequirements, NeedsTrait<feature, ptx>]>;

def AsyncOp : Fairlead_Interface<"AsyncOp"> {
  let description = [{
    An operation whose work goes on after its thread has issued it. Its memory effects say what it reads and writes.
  }];
  let methods = [
    InterfaceMethod<"Returns the part of the GPU that does the work.", "::fairlead::ir::Engine", "getEngine">,
    InterfaceMethod<[{
      Returns the mbarrier that counts the completion; null if the thread waits for a group of its operations instead.
    }], "::mlir::Value", "getCompletionBarrier", (ins), [{}], [{
      if constexpr (requires { $_op.getBarrier(); })
        return $_op.getBarrier();
      return {};
    }]>,
    InterfaceMethod<"Returns the address of the bytes that it copies; null if it copies none.",
                    "::mlir::Value", "getCopySource", (ins), [{}], [{
      if constexpr (requires { $_op.getSource(); })
        return $_op.getSource();
      return {};
    }]>
  ];
}

class AsyncTrait<string engine> : ParamNativeOpTrait<"Async", "::fairlead::ir::Engine::" # engine> {
  let cppNamespace = "::fairlead::ir";
}
// An AsyncOp. Operands `barrier` and `source` have the meanings of the interface.
class Async<string engine> : TraitList<[AsyncOp, AsyncTrait<engine>]>;

#endif // FAIRLEAD_LIB_IR_INTERFACES_TD_
