// Instructions on tensor memory: 128 lanes of columns of 32 bits for each block. Operations have the names of PTX's
// instructions, because errors of tracing show them.
#ifndef FAIRLEAD_LIB_IR_TENSORMEMORY_TD_
#define FAIRLEAD_LIB_IR_TENSORMEMORY_TD_

include "ir/Products.td"

// Only GPUs with GpuFeature::TensorMemory execute the operation.
def UsesTensorMemory : NativeOpTrait<"UsesTensorMemory"> {
  let cppNamespace = "::fairlead::ir";
}

def TensorPointer : AnyTypeOf<[LLVM_PointerInAddressSpace<6>], "an address in tensor memory">;
def OwnSharedPointer : AnyTypeOf<[LLVM_PointerInAddressSpace<3>], "an address in this block's shared memory">;

// All such instructions of a kernel have the same group.
def CtaGroup : Fairlead_Enum<"CtaGroup", "the blocks whose tensor memory an instruction uses", [
  I32EnumAttrCase<"One", 1, "one">,
  I32EnumAttrCase<"Two", 2, "two">
]>;
def CtaGroupAttr : Fairlead_EnumAttr<CtaGroup, "cta_group">;
def OneOrTwoBlocks : DefaultValuedAttr<CtaGroupAttr, "::fairlead::ir::CtaGroup::One">;

class TensorMemoryOp<string mnemonic, list<Trait> traits = [], int ptx = 86>
    : Fairlead_Op<"tcgen05." # mnemonic, !listconcat([UsesTensorMemory, Needs<"TensorMemory", ptx>], traits)>;
// All lanes of a warp execute the operation.
class TensorMemoryWarpOp<string mnemonic, list<Trait> traits = [], int ptx = 86>
    : TensorMemoryOp<mnemonic, !listconcat([Collective<"Warp">], traits), ptx> {
  let extraClassDeclaration = "llvm::StringRef getTitle() { return \"tcgen05." # mnemonic # "\"; }";
}

//===--- columns -------------------------------------------------------------------------------===//

def Fairlead_TensorMemoryAllocOp : TensorMemoryWarpOp<"alloc",
    [Ptx<"tcgen05.alloc.cta_group::<#group>.sync.aligned.shared::cta.b32 [$0], $1;">]> {
  let summary = "Reserves columns, and writes their address to 4 bytes of shared memory";
  let description = [{
    `columns` is a power of two from 32 to 512. Waits until other blocks have freed enough columns.
  }];
  let arguments = (ins Write<OwnSharedPointer>:$target, I32:$columns, OneOrTwoBlocks:$group);
  let assemblyFormat = "$columns `to` $target (`group` $group^)? attr-dict `:` type($target)";
}

def Fairlead_TensorMemoryDeallocOp : TensorMemoryWarpOp<"dealloc",
    [Ptx<"tcgen05.dealloc.cta_group::<#group>.sync.aligned.b32 $0, $1;">]> {
  let summary = "Frees all columns that an `alloc` reserved";
  let arguments = (ins Write<TensorPointer>:$memory, I32:$columns, OneOrTwoBlocks:$group);
  let assemblyFormat = "$columns `at` $memory (`group` $group^)? attr-dict `:` type($memory)";
}

def Fairlead_TensorMemoryRelinquishOp : TensorMemoryWarpOp<"relinquish_alloc_permit",
    [Ptx<"tcgen05.relinquish_alloc_permit.cta_group::<#group>.sync.aligned;">]> {
  let summary = "Says that the block reserves no more columns";
  let arguments = (ins OneOrTwoBlocks:$group);
  let assemblyFormat = "(`group` $group^)? attr-dict";
}

//===--- registers -----------------------------------------------------------------------------===//

// All lanes of a warp give the same address. A warp reaches the 32 lanes of tensor memory of its place in the warpgroup.
// One step moves `step_lanes` x `step_bits` bits; the number of steps follows from the number of registers. Steps of
// 16 x 32 are two for each register: threads 16 to 31 continue to the right of the others. With `halves`, a register
// holds the lower halves of two columns.

def Fairlead_TensorMemoryLoadOp : TensorMemoryWarpOp<"ld", [StaysInPlace]> {
  let summary = "Copies tensor memory to registers, and waits until they hold it";
  let arguments = (ins Read<TensorPointer>:$memory, I32Attr:$step_lanes, I32Attr:$step_bits, UnitAttr:$halves);
  let results = (outs Variadic<I32>:$registers);
  let assemblyFormat = [{
    $memory `shape` $step_lanes `x` $step_bits (`halves` $halves^)? attr-dict `:` type($memory) `->` type($registers)
  }];
  let hasVerifier = 1;
}

def Fairlead_TensorMemoryExtremeLoadOp : TensorMemoryWarpOp<"ld.red", [StaysInPlace], /*ptx=*/88> {
  let summary = "A load of columns of 32 lanes that also finds the least or greatest of a thread's floats";
  let description = [{NaN are no candidates: `found` is NaN only if all of the registers are.}];
  let arguments = (ins Read<TensorPointer>:$memory, ExtremeAttr:$extreme);
  let results = (outs F32:$found, Variadic<I32>:$registers);
  let assemblyFormat = "$extreme $memory attr-dict `:` type($memory) `->` type($registers)";
  let hasVerifier = 1;
}

def Fairlead_TensorMemoryStoreOp : TensorMemoryWarpOp<"st"> {
  let summary = "Copies registers to tensor memory";
  let arguments = (ins Write<TensorPointer>:$memory, Variadic<I32>:$registers, I32Attr:$step_lanes,
                       I32Attr:$step_bits, UnitAttr:$halves);
  let assemblyFormat = [{
    $registers `to` $memory `shape` $step_lanes `x` $step_bits (`halves` $halves^)? attr-dict `:` type($memory)
  }];
  let hasVerifier = 1;
}

//===--- products ------------------------------------------------------------------------------===//

def TensorMemoryMmaKind : Fairlead_Enum<"TensorMemoryMmaKind", "a kind of product by its operands", [
  I32EnumAttrCase<"F16", 0, "f16">, I32EnumAttrCase<"TF32", 1, "tf32">,
  I32EnumAttrCase<"F8F6F4", 2, "f8f6f4">, I32EnumAttrCase<"I8", 3, "i8">
]>;

def Fairlead_TensorMemoryMmaOp : TensorMemoryOp<"mma", [IssuedByOneLane, Async<"TensorProducts">]> {
  let summary = "An asynchronous product, m x n x 256 bits, of A in shared or tensor memory and B in shared memory";
  let description = [{
    `d` is the accumulator's address; it is added to if `added` is true. `a` and `b` are the descriptors of A and B in
    shared memory, or `a` is the address of A in tensor memory: its rows lie in the lanes of the sums' rows, packed along
    K. If each block of a pair has 64 rows, lanes 64 to 127 hold them again. The extents are those of all blocks of the
    group together.
  }];
  let arguments = (ins I32Attr:$m, I32Attr:$n, ProductTypeAttr:$d_type, ProductTypeAttr:$a_type,
                       ProductTypeAttr:$b_type, ReadWrite<TensorPointer>:$d,
                       Read<AnyTypeOf<[I64, TensorPointer]>>:$a, Read<I64>:$b,
                       I1:$added, UnitAttr:$a_transposed, UnitAttr:$b_transposed,
                       OneOrTwoBlocks:$group);
  let assemblyFormat = [{
    $m `x` $n $d_type `(` $d `)` `=` $a_type (`transposed` $a_transposed^)? `(` $a `:` type($a) `)` `*` $b_type
    (`transposed` $b_transposed^)? `(` $b `)` `add` $added (`group` $group^)? attr-dict `:` type($d)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The kind of the operands' types. Any kind for types that no kind has.
    TensorMemoryMmaKind getKind();
    /// True if A is in tensor memory.
    bool isAInTensorMemory() { return !getA().getType().isInteger(64); }
  }];
}

def Fairlead_TensorMemoryCommitOp : TensorMemoryOp<"commit", [IssuedByOneLane]> {
  let summary = "Arrives at an mbarrier when the products that this thread issued are done";
  let description = [{
    `blocks`: at the mbarriers of all blocks of the cluster whose bits are set. An elected lane is the one that issues the
    products of its warp.
  }];
  let arguments = (ins ReadWrite<SharedPointer>:$barrier, Optional<I16>:$blocks, OneOrTwoBlocks:$group);
  let assemblyFormat = [{
    $barrier (`blocks` $blocks^)? (`group` $group^)? attr-dict `:` type($barrier)
  }];
}

//===--- scaled products -----------------------------------------------------------------------===//

def Fairlead_TensorMemoryScaledMmaOp : TensorMemoryOp<"mma.block_scale",
    [IssuedByOneLane, Async<"TensorProducts">, AllTypesMatch<["d", "scales_a", "scales_b"]>], /*ptx=*/87> {
  let summary = "An asynchronous product whose operands in shared memory have scale factors in tensor memory";
  let description = [{
    Each scale factor belongs to `vector` neighbours along K of a row of A or B. The two highest bits of `scales_a` and
    `scales_b` say which byte of the first column holds the first one. The other operands are those of `mma`. K is 32
    for kind mxf8f6f4, 64 for the others, or there 96: its rows go on in another buffer, see bit 52 of descriptors.
  }];
  let arguments = (ins ScaledMmaKindAttr:$kind, I32Attr:$m, I32Attr:$n, I32Attr:$k, ProductTypeAttr:$a_type,
                       ProductTypeAttr:$b_type, ScaleTypeAttr:$scale_type, I32Attr:$vector,
                       ReadWrite<TensorPointer>:$d, Read<I64>:$a, Read<I64>:$b,
                       Read<TensorPointer>:$scales_a, Read<TensorPointer>:$scales_b, I1:$added,
                       UnitAttr:$a_transposed, UnitAttr:$b_transposed, OneOrTwoBlocks:$group);
  let assemblyFormat = [{
    $kind $m `x` $n `x` $k `(` $d `)` `=` $a_type (`transposed` $a_transposed^)? `(` $a `,` $scales_a `)` `*` $b_type
    (`transposed` $b_transposed^)? `(` $b `,` $scales_b `)` `scales` $scale_type `per` $vector `add` $added
    (`group` $group^)? attr-dict `:` type($d)
  }];
  let hasVerifier = 1;
}

def TensorMemoryCopyShape : Fairlead_Enum<"TensorMemoryCopyShape", "rows and bits of a copy, and the lanes that get them", [
  I32EnumAttrCase<"Rows128x256", 0, "rows128x256">, I32EnumAttrCase<"Rows4x256", 1, "rows4x256">,
  I32EnumAttrCase<"Rows128x128", 2, "rows128x128">,
  I32EnumAttrCase<"Rows64x128Of02And13", 3, "rows64x128_02_13">,
  I32EnumAttrCase<"Rows64x128Of01And23", 4, "rows64x128_01_23">,
  I32EnumAttrCase<"Rows32x128", 5, "rows32x128">
]>;
def TensorMemoryCopyShapeAttr : Fairlead_EnumAttr<TensorMemoryCopyShape, "tensor_memory_copy_shape">;

def Fairlead_TensorMemoryCopyOp : TensorMemoryOp<"cp", [IssuedByOneLane, Async<"TensorProducts">]> {
  let summary = "An asynchronous copy of rows from shared to tensor memory";
  let description = [{`source` is the descriptor of the rows. Products of the same thread come after it.}];
  let arguments = (ins Read<I64>:$source, Write<TensorPointer>:$memory, TensorMemoryCopyShapeAttr:$shape,
                       OneOrTwoBlocks:$group);
  let assemblyFormat = "$source `to` $memory `shape` $shape (`group` $group^)? attr-dict `:` type($memory)";
}

//===--- order ---------------------------------------------------------------------------------===//

def TensorMemoryAccess : Fairlead_Enum<"TensorMemoryAccess", "copies from or to registers", [
  I32EnumAttrCase<"Loads", 0, "ld">, I32EnumAttrCase<"Stores", 1, "st">
]>;
def TensorMemoryAccessAttr : Fairlead_EnumAttr<TensorMemoryAccess, "tensor_memory_access">;

def Fairlead_TensorMemoryWaitOp : TensorMemoryWarpOp<"wait",
    [Ptx<"tcgen05.wait::<access>.sync.aligned;">]> {
  let summary = "Waits until this thread's loads from tensor memory, or stores to it, are done";
  let arguments = (ins TensorMemoryAccessAttr:$access);
  let assemblyFormat = "$access attr-dict";
}

def FenceSide : Fairlead_Enum<"FenceSide", "a side of a synchronisation of threads", [
  I32EnumAttrCase<"Before", 0, "before">, I32EnumAttrCase<"After", 1, "after">
]>;
def FenceSideAttr : Fairlead_EnumAttr<FenceSide, "fence_side">;

def Fairlead_TensorMemoryFenceOp : TensorMemoryOp<"fence",
    [Ptx<"tcgen05.fence::<side>_thread_sync;">]> {
  let summary = "Orders this thread's asynchronous instructions that stand before, or after, a synchronisation of threads";
  let arguments = (ins FenceSideAttr:$side);
  let assemblyFormat = "$side attr-dict";
}

#endif // FAIRLEAD_LIB_IR_TENSORMEMORY_TD_
