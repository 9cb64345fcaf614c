// Asynchronous copies of boxes of tensors (by a tensor map) and of neighbouring bytes.
#ifndef FAIRLEAD_LIB_IR_COPIES_TD_
#define FAIRLEAD_LIB_IR_COPIES_TD_

include "ir/Base.td"

def ReduceKind : Fairlead_Enum<"ReduceKind", "how elements are combined with those in memory", [
  I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Min", 1, "min">,
  I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Inc", 3, "inc">,
  I32EnumAttrCase<"Dec", 4, "dec">, I32EnumAttrCase<"And", 5, "and">,
  I32EnumAttrCase<"Or", 6, "or">, I32EnumAttrCase<"Xor", 7, "xor">
]>;
def ReduceKindAttr : Fairlead_EnumAttr<ReduceKind, "reduce_kind">;

//===--- boxes of tensors ----------------------------------------------------------------------===//

// `map` is the tensor map's address; `coordinates` are those of the box, dimension 0 first; `policy` is the
// cache policy.
class TensorOp<string mnemonic, Trait trait = Async<"BulkCopies">>
    : Fairlead_Op<mnemonic, [AttrSizedOperandSegments, IssuedByOneLane, Needs<"Tma">, trait]> {
  let hasVerifier = 1;
}

def Fairlead_TensorLoadOp : TensorOp<"tensor_load"> {
  let summary = "Copies a box from global to shared memory, and counts its bytes at an mbarrier";
  let description = [{
    `blocks`: to the same place in all blocks of the cluster whose bits are set. `of_pair`: the barrier at the same place
    in the even block of each target's pair counts the bytes.
  }];
  let arguments = (ins Read<GlobalPointer>:$map, Write<SharedPointer>:$target,
                       ReadWrite<SharedPointer>:$barrier,
                       Variadic<I32>:$coordinates, Optional<I16>:$blocks, Optional<I64>:$policy,
                       UnitAttr:$of_pair);
  let assemblyFormat = [{
    $map `[` $coordinates `]` `to` $target `at` $barrier (`of_pair` $of_pair^)? (`blocks` $blocks^)?
    (`policy` $policy^)? attr-dict
    `:` type($map) `,` type($target) `,` type($barrier)
  }];
}

def Fairlead_TensorStoreOp : TensorOp<"tensor_store"> {
  let summary = "Copies a box from shared to global memory, as a part of a bulk group";
  let arguments = (ins ReadWrite<GlobalPointer>:$map, Read<SharedPointer>:$source,
                       Variadic<I32>:$coordinates, Optional<I64>:$policy);
  let assemblyFormat = [{
    $source `to` $map `[` $coordinates `]` (`policy` $policy^)? attr-dict `:` type($source) `,` type($map)
  }];
}

def Fairlead_TensorReduceOp : TensorOp<"tensor_reduce"> {
  let summary = "Combines a box in global memory with one in shared memory, as a part of a bulk group";
  let arguments = (ins ReduceKindAttr:$kind, ReadWrite<GlobalPointer>:$map,
                       Read<SharedPointer>:$source,
                       Variadic<I32>:$coordinates, Optional<I64>:$policy);
  let assemblyFormat = [{
    $kind $source `to` $map `[` $coordinates `]` (`policy` $policy^)? attr-dict `:` type($source) `,`
    type($map)
  }];
}

def Fairlead_TensorPrefetchOp : TensorOp<"tensor_prefetch", StaysInPlace> {
  let summary = "Brings a box from global memory into the L2 cache";
  let arguments = (ins Read<GlobalPointer>:$map, Variadic<I32>:$coordinates, Optional<I64>:$policy);
  let assemblyFormat = "$map `[` $coordinates `]` (`policy` $policy^)? attr-dict `:` type($map)";
}

//===--- neighbouring bytes --------------------------------------------------------------------===//

def Fairlead_BulkLoadOp : Fairlead_Op<"bulk_load",
    [AttrSizedOperandSegments, IssuedByOneLane, Needs<"Tma">, Async<"BulkCopies">]> {
  let summary = "Copies bytes from global to shared memory, and counts them at an mbarrier";
  let description = [{`blocks`: to the same place in all blocks of the cluster whose bits are set.}];
  let arguments = (ins Write<SharedPointer>:$target, Read<GlobalPointer>:$source,
                       I32:$bytes, ReadWrite<SharedPointer>:$barrier,
                       Optional<I16>:$blocks, Optional<I64>:$policy);
  let assemblyFormat = [{
    $source `,` $bytes `to` $target `at` $barrier (`blocks` $blocks^)? (`policy` $policy^)? attr-dict `:`
    type($source) `,` type($target) `,` type($barrier)
  }];
}

def Fairlead_BulkStoreOp : Fairlead_Op<"bulk_store",
    [IssuedByOneLane, Needs<"Tma">, Async<"BulkCopies">]> {
  let summary = "Copies bytes from shared to global memory, as a part of a bulk group";
  let arguments = (ins Write<GlobalPointer>:$target, Read<SharedPointer>:$source,
                       I32:$bytes, Optional<I64>:$policy);
  let assemblyFormat = [{
    $source `,` $bytes `to` $target (`policy` $policy^)? attr-dict `:` type($source) `,` type($target)
  }];
}

def Fairlead_BulkCopyToBlockOp : Fairlead_Op<"bulk_copy_to_block",
    [IssuedByOneLane, Needs<"Tma">, Async<"BulkCopies">]> {
  let summary = "Copies bytes to shared memory of another block of the cluster, and counts them at an "
                "mbarrier there";
  let arguments = (ins Write<SharedPointer>:$target, Read<SharedPointer>:$source,
                       I32:$bytes, ReadWrite<SharedPointer>:$barrier,
                       Optional<I64>:$policy);
  let assemblyFormat = [{
    $source `,` $bytes `to` $target `at` $barrier (`policy` $policy^)? attr-dict `:` type($source) `,`
    type($target) `,` type($barrier)
  }];
}

#endif // FAIRLEAD_LIB_IR_COPIES_TD_
