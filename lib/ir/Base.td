// The dialect itself, and the types and traits that its operations share.
#ifndef FAIRLEAD_LIB_IR_BASE_TD_
#define FAIRLEAD_LIB_IR_BASE_TD_

include "mlir/Dialect/LLVMIR/LLVMOpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

include "ir/Interfaces.td"

def Fairlead_Dialect : Dialect {
  let name = "fairlead";
  let cppNamespace = "::fairlead::ir";
  let summary = "Operations of traced programs that MLIR's own dialects lack";
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

class Fairlead_Op<string mnemonic, list<Trait> traits = []>
    : Op<Fairlead_Dialect, mnemonic, traits>;

class Fairlead_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::fairlead::ir";
  let genSpecializedAttr = 0;
}

class Fairlead_EnumAttr<EnumInfo info, string mnemonic> : EnumAttr<Fairlead_Dialect, info, mnemonic>;

// One lane of the warp executes the operation: all lanes come to it, and one is elected. The attribute
// `fairlead.chosen_thread` says that the program has chosen the threads that come to it, so that none is elected.
def IssuedByOneLane : NativeOpTrait<"IssuedByOneLane"> {
  let cppNamespace = "::fairlead::ir";
}

// Orders instructions without writing memory: an operation with this effect is neither moved nor removed.
def ProgramOrder : Resource<"::fairlead::ir::ProgramOrder">;
def StaysInPlace : MemoryEffects<[MemWrite<ProgramOrder>]>;

//===--- types ---------------------------------------------------------------------------------===//

// Registers hold several elements of fewer bits, so that every target can handle them one by one.
def Register : AnyTypeOf<[I32, F32, F64], "a register (i32, f32 or f64)">;
// A generic address may also be in global memory.
def GlobalPointer : AnyTypeOf<[LLVM_PointerInAddressSpace<0>, LLVM_PointerInAddressSpace<1>],
                              "an address in global memory">;
// In this block, or in a block of its cluster.
def SharedPointer : AnyTypeOf<[LLVM_PointerInAddressSpace<3>, LLVM_PointerInAddressSpace<7>],
                              "an address in shared memory">;

// Operands at whose memory the operation reads, writes, or both.
class Read<Constraint pointer> : Arg<pointer, "", [MemRead]>;
class Write<Constraint pointer> : Arg<pointer, "", [MemWrite]>;
class ReadWrite<Constraint pointer> : Arg<pointer, "", [MemRead, MemWrite]>;

#endif // FAIRLEAD_LIB_IR_BASE_TD_
