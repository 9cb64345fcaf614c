// Notes of tracing for the checks of a program.
#ifndef FAIRLEAD_LIB_IR_CHECKS_TD_
#define FAIRLEAD_LIB_IR_CHECKS_TD_

include "ir/Base.td"

def MemoryKind : Fairlead_Enum<"MemoryKind", "where a tensor is", [
  I32EnumAttrCase<"Global", 0, "global">,
  I32EnumAttrCase<"Shared", 1, "shared">,
  I32EnumAttrCase<"Register", 2, "register">
]>;
def MemoryKindAttr : Fairlead_EnumAttr<MemoryKind, "memory_kind">;

def Fairlead_IndexOp : Fairlead_Op<"index", [NoMemoryEffect, AllTypesMatch<["address", "checked"]>]> {
  let summary = "An address, if indices are in bounds";
  let description = [{
    `modes` are the numbers of the modes to be checked; each has its index and its extent in `bounds`.
    `tensor` describes the indexed tensor, `memory` tells where it is. `whole`: all indices in bounds are
    of elements of a tensor parameter.
  }];
  let arguments = (ins LLVM_AnyPointer:$address, Variadic<I64>:$bounds, DenseI32ArrayAttr:$modes,
                       StrAttr:$tensor, MemoryKindAttr:$memory, UnitAttr:$whole);
  let results = (outs LLVM_AnyPointer:$checked);
  let assemblyFormat = [{
    $address `[` $bounds `]` `of` $tensor `in` $memory `modes` $modes (`whole` $whole^)? attr-dict `:`
    type($address)
  }];
  let hasVerifier = 1;
}

def Fairlead_TensorOp : Fairlead_Op<"tensor", [StaysInPlace]> {
  let summary = "A tensor parameter, for code without a runtime that knows it";
  let description = [{
    `base` is the address of the first element, each of which has `bits` bits. `numbers` are the extents, then the
    strides in elements; those that are not constant are in `dynamic`, in order. `tensor` is how messages name it.
    `gaps`: the memory of a mode ends where its next element would begin.
  }];
  let arguments = (ins LLVM_AnyPointer:$base, Variadic<I64>:$dynamic, DenseI64ArrayAttr:$numbers,
                       I64Attr:$bits, StrAttr:$tensor, UnitAttr:$gaps);
  let assemblyFormat = [{
    $base `has` custom<DynamicIndexList>($dynamic, $numbers) `of` $bits `bits` $tensor (`gaps` $gaps^)? attr-dict `:`
    type($base)
  }];
  let hasVerifier = 1;
}

def Fairlead_GuardOp : Fairlead_Op<"guard",
    [StaysInPlace, PredOpTrait<"a guard has a result if it has the address of a load, and only then",
                               CPred<"$_op.getNumOperands() == 6 + $_op.getNumResults()">>]> {
  let summary = "Ends the launch unless an access stays inside its memory";
  let description = [{
    The access is of `bytes` bytes from `offset` on; the memory goes from `low` to `high`. All are counted in bytes
    from the same address. `table` is the address of the FairleadTensorTable of a tensor parameter, or null. `thread`
    is the number of the thread in its block. `site` is the symbol of the place in the program.

    With `address`, that of a load, the launch goes on with a warning, and `readable` is the address of zeros; inside
    the memory it is `address`.
  }];
  let arguments = (ins I64:$offset, I64:$bytes, I64:$low, I64:$high, LLVM_AnyPointer:$table, I32:$thread,
                       FlatSymbolRefAttr:$site, Optional<LLVM_DefaultPointer>:$address);
  let results = (outs Optional<LLVM_DefaultPointer>:$readable);
  let assemblyFormat = [{
    $bytes `bytes` `at` $offset `in` $low `to` $high `of` $table `:` type($table) `thread` $thread `site` $site
    (`reads` $address^ `:` type($address) `as` type($readable))? attr-dict
  }];
}

#endif // FAIRLEAD_LIB_IR_CHECKS_TD_
