// Products of matrices, and copies of matrices between registers and shared memory.
#ifndef FAIRLEAD_LIB_IR_PRODUCTS_TD_
#define FAIRLEAD_LIB_IR_PRODUCTS_TD_

include "ir/Base.td"

def ProductType : Fairlead_Enum<"ProductType", "a type of elements of products", [
  I32EnumAttrCase<"F16", 0, "f16">, I32EnumAttrCase<"BF16", 1, "bf16">,
  I32EnumAttrCase<"TF32", 2, "tf32">, I32EnumAttrCase<"E4M3", 3, "e4m3">,
  I32EnumAttrCase<"E5M2", 4, "e5m2">, I32EnumAttrCase<"S8", 5, "s8">,
  I32EnumAttrCase<"U8", 6, "u8">, I32EnumAttrCase<"F32", 7, "f32">,
  I32EnumAttrCase<"S32", 8, "s32">,
  I32EnumAttrCase<"S4", 9, "s4">, I32EnumAttrCase<"F64", 10, "f64">,
  I32EnumAttrCase<"E2M3", 11, "e2m3">, I32EnumAttrCase<"E3M2", 12, "e3m2">,
  I32EnumAttrCase<"E2M1", 13, "e2m1">
]>;
def ProductTypeAttr : Fairlead_EnumAttr<ProductType, "product_type">;

def Fairlead_MmaOp : Fairlead_Op<"mma", [Collective<"Warp">, StaysInPlace]> {
  let summary = "A product of fragments of a warp: m x n x k";
  let description = [{
    `registers` are those of A, B and C, in this order; `sums` those of D. Mma.def lists the shapes and types that
    there are.
  }];
  let arguments = (ins I32Attr:$m, I32Attr:$n, I32Attr:$k, ProductTypeAttr:$d_type,
                       ProductTypeAttr:$a_type, ProductTypeAttr:$b_type, Variadic<Register>:$registers);
  let results = (outs Variadic<Register>:$sums);
  let assemblyFormat = [{
    $m `x` $n `x` $k $d_type `=` $a_type `*` $b_type `(` $registers `)` attr-dict `:`
    functional-type($registers, $sums)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    llvm::StringRef getTitle() { return "an MMA"; }
    /// Numbers of a lane's registers.
    unsigned getRegistersOfA();
    unsigned getRegistersOfB();
  }];
}

def ScaledMmaKind : Fairlead_Enum<"ScaledMmaKind", "a kind of product with scale factors", [
  I32EnumAttrCase<"MXF8F6F4", 0, "mxf8f6f4">, I32EnumAttrCase<"MXF4", 1, "mxf4">,
  I32EnumAttrCase<"MXF4NVF4", 2, "mxf4nvf4">
]>;
def ScaledMmaKindAttr : Fairlead_EnumAttr<ScaledMmaKind, "scaled_mma_kind">;

def ScaleType : Fairlead_Enum<"ScaleType", "a type of scale factors", [
  I32EnumAttrCase<"UE4M3", 0, "ue4m3">, I32EnumAttrCase<"UE8M0", 1, "ue8m0">
]>;
def ScaleTypeAttr : Fairlead_EnumAttr<ScaleType, "scale_type">;

def Fairlead_ScaledMmaOp : Fairlead_Op<"mma.block_scale",
    [Collective<"Warp">, StaysInPlace, Needs<"WarpBlockScale", 87>]> {
  let summary = "A product of fragments of a warp, 16 x 8 x 256 bits, whose operands have scale factors";
  let description = [{
    `registers`: four of A, two of B, four of C, one of A's scale factors and one of B's. Lane 4 i + j has those of rows
    i (j = 0) and i + 8 (j = 1) of A, and of column i of B (j = 0), the first one in the lowest byte. Each belongs to
    `vector` neighbours along K.
  }];
  let arguments = (ins ScaledMmaKindAttr:$kind, ProductTypeAttr:$a_type, ProductTypeAttr:$b_type,
                       ScaleTypeAttr:$scale_type, I32Attr:$vector, Variadic<Register>:$registers);
  let results = (outs Variadic<F32>:$sums);
  let assemblyFormat = [{
    $kind $a_type `*` $b_type `scales` $scale_type `per` $vector `(` $registers `)` attr-dict `:`
    functional-type($registers, $sums)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    llvm::StringRef getTitle() { return "an MMA"; }
    /// Elements along K of one product.
    unsigned getK() { return getKind() == ScaledMmaKind::MXF8F6F4 ? 32 : 64; }
  }];
}

def Fairlead_LoadMatrixOp : Fairlead_Op<"load_matrix", [Collective<"Warp">, Needs<"LoadMatrix">]> {
  let summary = "Loads matrices of 8 rows of 16 bytes from shared memory, a register of each lane from "
                "each";
  let description = [{Lane 8 j + i gives the address of row i of matrix j, as a number.}];
  let arguments = (ins Read<I64>:$row, UnitAttr:$transposed);
  let results = (outs Variadic<I32>:$registers);
  let assemblyFormat = "$row (`transposed` $transposed^)? attr-dict `:` type($registers)";
  let extraClassDeclaration = [{ llvm::StringRef getTitle() { return "a copy of matrices"; } }];
  let hasVerifier = 1;
}

def Fairlead_LoadByteMatrixOp : Fairlead_Op<"load_byte_matrix", [Collective<"Warp">, Needs<"LoadByteMatrix", 86>]> {
  let summary = "Loads matrices whose elements are bytes in registers and have 4, 6 or 8 bits in shared memory";
  let description = [{
    A row has 16 elements in 16 bytes: elements of `bits` bits, the first one lowest, and then padding. An element is the
    low bits of its byte in a register, whose other bits are 0.

    Matrices have 8 rows: lane 8 j + i gives the address of row i of matrix j, and a register of lane 4 i + c holds
    elements 4 c to 4 c + 3 of row i. `transposed` ones have 16 rows: lane 16 j + i gives the address of row i of
    matrix j. Lane 4 i + c has two registers of each, with column i, and then i + 8, of rows 4 c to 4 c + 3.
  }];
  let arguments = (ins Read<I64>:$row, I32Attr:$bits, UnitAttr:$transposed);
  let results = (outs Variadic<I32>:$registers);
  let assemblyFormat = "$row `bits` $bits (`transposed` $transposed^)? attr-dict `:` type($registers)";
  let extraClassDeclaration = [{
    llvm::StringRef getTitle() { return "a copy of matrices"; }
    int getRows() { return getTransposed() ? 16 : 8; }
    int getMatrices() { return static_cast<int>(getRegisters().size()) / (getTransposed() ? 2 : 1); }
    /// Bytes of a row that hold elements.
    int getRowBytes() { return 2 * static_cast<int>(getBits()); }
  }];
  let hasVerifier = 1;
}

def Fairlead_StoreMatrixOp : Fairlead_Op<"store_matrix", [Collective<"Warp">, Needs<"StoreMatrix">]> {
  let summary = "The inverse of load_matrix";
  let arguments = (ins Write<I64>:$row, Variadic<I32>:$registers, UnitAttr:$transposed);
  let assemblyFormat = "$registers `to` $row (`transposed` $transposed^)? attr-dict";
  let extraClassDeclaration = [{ llvm::StringRef getTitle() { return "a copy of matrices"; } }];
  let hasVerifier = 1;
}

def Fairlead_TransposeMatrixOp : Fairlead_Op<"transpose_matrix",
    [SameOperandsAndResultType, Collective<"Warp">, StaysInPlace, Needs<"LoadMatrix">,
     Ptx<"movmatrix.sync.aligned.m8n8.trans.b16 $0, $1;">]> {
  let summary = "Transposes a matrix of 8 x 8 elements of 16 bits in registers of a warp";
  let description = [{Lane 4 i + j holds elements 2 j and 2 j + 1 of row i.}];
  let arguments = (ins I32:$elements);
  let results = (outs I32:$transposed);
  let assemblyFormat = "$elements attr-dict";
  let extraClassDeclaration = [{ llvm::StringRef getTitle() { return "a transposition of a matrix"; } }];
}

def Extreme : Fairlead_Enum<"Extreme", "the least or the greatest of numbers", [
  I32EnumAttrCase<"Min", 0, "min">, I32EnumAttrCase<"Max", 1, "max">
]>;
def ExtremeAttr : Fairlead_EnumAttr<Extreme, "extreme">;

def Fairlead_WarpExtremeOp : Fairlead_Op<"warp_extreme",
    [SameOperandsAndResultType, Collective<"Warp">, StaysInPlace, Needs<"FloatReduction", 86>]> {
  let summary = "The least or greatest float of a warp, in all of its lanes";
  let description = [{
    NaN do not count unless all numbers are, or with `propagates_nan`. Only GPUs have it.
  }];
  let arguments = (ins F32:$number, ExtremeAttr:$extreme, UnitAttr:$propagates_nan);
  let results = (outs F32:$found);
  let assemblyFormat = "$extreme $number (`propagates_nan` $propagates_nan^)? attr-dict";
  let extraClassDeclaration = [{
    llvm::StringRef getTitle() { return "a reduction of a warp"; }
    // redux.sync has no .aligned.
    static bool isAligned() { return false; }
  }];
}

class WordsOf<Type element, string what>
    : AnyTypeOf<[element, FixedVectorOfRankAndType<[1], [element]>], what>;

def Fairlead_DotPairsOp : Fairlead_Op<"dot_pairs", [Pure, Elementwise, AllTypesMatch<["a", "b"]>,
                                                    AllTypesMatch<["addend", "sum"]>]> {
  let summary = "Adds products of pairs of bf16 to f32: addend + high(a) * high(b) + low(a) * low(b)";
  let description = [{
    The product of the high halves is added first. Each of the two steps is a fused multiply-add, rounded once. On a CPU
    that has an instruction for it (AVX512_BF16), subnormal operands, sums and results count as 0.
  }];
  let arguments = (ins WordsOf<I32, "pairs of bf16 in i32">:$a, WordsOf<I32, "pairs of bf16 in i32">:$b,
                       WordsOf<F32, "sums in f32">:$addend);
  let results = (outs WordsOf<F32, "sums in f32">:$sum);
  let assemblyFormat = "$a `,` $b `to` $addend attr-dict `:` type($a) `,` type($addend)";
}

def Fairlead_WarpgroupMmaOp : Fairlead_Op<"warpgroup_mma",
    [AttrSizedOperandSegments, Collective<"Warpgroup">, Needs<"WarpgroupMma">, Async<"Products">]> {
  let summary = "An asynchronous product of a warpgroup: 64 x n x 256 bits";
  let description = [{
    `a` is the descriptor of A's shared memory, or four registers; `b` is B's descriptor. `sums` are the
    accumulator's registers, which are added if `added` is true. A and B of 16-bit elements may lie with K
    slowest: `a_transposed` and `b_transposed`.
  }];
  let arguments = (ins I32Attr:$n, ProductTypeAttr:$d_type, ProductTypeAttr:$a_type,
                       ProductTypeAttr:$b_type, Variadic<Register>:$sums,
                       Read<Variadic<AnyTypeOf<[I64, I32]>>>:$a,
                       Read<I64>:$b, I1:$added, UnitAttr:$a_transposed,
                       UnitAttr:$b_transposed);
  let results = (outs Variadic<Register>:$updated);
  let assemblyFormat = [{
    $n $d_type `=` $a_type (`transposed` $a_transposed^)? `(` $a `:` type($a) `)` `*` $b_type
    (`transposed` $b_transposed^)? `(` $b `)` `add` $added `to` `(` $sums `)` attr-dict `:`
    functional-type($sums, $updated)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    llvm::StringRef getTitle() { return "an MMA of a warpgroup"; }
    /// True if A is in registers.
    bool isAInRegisters() { return getA().size() > 1; }
    /// The extent along K.
    int getK();
    /// True if operands in shared memory may lie with K slowest.
    bool hasTransposedForms();
    /// Products of integers with and without a sign came later.
    int getLeastPtx();
  }];
}

#endif // FAIRLEAD_LIB_IR_PRODUCTS_TD_
