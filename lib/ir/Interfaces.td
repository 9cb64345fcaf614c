// The interfaces through which passes and checks see operations.
#ifndef FAIRLEAD_LIB_IR_INTERFACES_TD_
#define FAIRLEAD_LIB_IR_INTERFACES_TD_

include "mlir/IR/OpBase.td"

class Fairlead_Interface<string name> : OpInterface<name> {
  let cppNamespace = "::fairlead::ir";
}

def TargetRequirements : Fairlead_Interface<"TargetRequirements"> {
  let description = [{
    The target that an operation's instruction requires. Operations without this interface run on every GPU.
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

def PtxInstruction : Fairlead_Interface<"PtxInstruction"> {
  let description = [{An operation whose PTX is the same for all operands.}];
  let methods = [
    InterfaceMethod<[{
      Returns the PTX. `$0`, `$1` and so on stand for the results and then the operands; pointers are numbers there.
    }], "std::string", "getPtx">
  ];
}

class PtxTrait<string text> : ParamNativeOpTrait<"Ptx", "\"" # text # "\""> {
  let cppNamespace = "::fairlead::ir";
}
// A PtxInstruction. In the text, <name> stands for the spelling of an enum attribute, and <#name> for its number.
class Ptx<string text> : TraitList<[PtxInstruction, PtxTrait<text>]>;

def CollectiveOp : Fairlead_Interface<"CollectiveOp"> {
  let description = [{
    An operation that threads execute together: all threads of its scope that take part have to reach it.
  }];
  let methods = [
    InterfaceMethod<"Returns the threads that it is for.", "::fairlead::ir::Scope", "getScope">,
    InterfaceMethod<"Returns the name of the operation in errors.", "::llvm::StringRef", "getTitle", (ins), [{}],
                    "return $_op->getName().getStringRef();">,
    InterfaceMethod<"Returns the lanes of the warp that take part, as bits; null if all do.",
                    "::mlir::Value", "getLanes", (ins), [{}], "return {};">,
    InterfaceMethod<[{
      True if all threads of the scope certainly take part, in a block of `threads` threads (nothing: not known).
    }], "bool", "takesAll", (ins "std::optional<int64_t>":$threads)>,
    InterfaceMethod<"True if PTX requires all lanes of a warp to execute it together.", "bool", "isAligned">,
    InterfaceMethod<"True if its result is true in a single lane.", "bool", "electsLane", (ins), [{}],
                    "return false;">,
    InterfaceMethod<"Returns the operands that must be the same in all threads of the scope.",
                    "::mlir::SmallVector<::mlir::Value>", "getUniformOperands", (ins), [{}], "return {};">
  ];
}

class CollectiveTrait<string scope> : ParamNativeOpTrait<"Collective", "::fairlead::ir::Scope::" # scope> {
  let cppNamespace = "::fairlead::ir";
}
// A CollectiveOp of all threads of a warp or a warpgroup, or of a lane that waits for other threads.
class Collective<string scope> : TraitList<[CollectiveTrait<scope>, CollectiveOp]>;

def AsyncOp : Fairlead_Interface<"AsyncOp"> {
  let description = [{
    An operation whose work goes on after its thread has issued it. Its memory effects say what it reads and writes.
  }];
  let methods = [
    InterfaceMethod<"Returns the part of the GPU that does the work.", "::fairlead::ir::Engine", "getEngine">,
    InterfaceMethod<[{
      Returns the mbarrier that counts the completion; null if the thread waits for a group of its operations instead,
      or names the mbarrier later (tcgen05.commit).
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
