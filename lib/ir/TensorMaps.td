// Tensor maps in memory that kernels read and change.
#ifndef FAIRLEAD_LIB_IR_TENSORMAPS_TD_
#define FAIRLEAD_LIB_IR_TENSORMAPS_TD_

include "ir/Base.td"

def MapField : Fairlead_Enum<"MapField", "a field of a tensor map", [
  I32EnumAttrCase<"Address", 0, "address">,
  I32EnumAttrCase<"Extent", 1, "extent">,
  I32EnumAttrCase<"Stride", 2, "stride">
]>;
def MapFieldAttr : Fairlead_EnumAttr<MapField, "map_field">;

def MapPointer : AnyTypeOf<[GlobalPointer, LLVM_PointerInAddressSpace<3>],
                           "an address of a tensor map in global or shared memory">;

def Fairlead_MapReplaceOp : Fairlead_Op<"map_replace", [Needs<"TensorMapEdit", 83>]> {
  let summary = "Replaces a field of a tensor map";
  let description = [{
    `dimension` says of which dimension, for extents (in elements) and strides (in bytes; dimension 0 has
    none).
  }];
  let arguments = (ins MapFieldAttr:$field, DefaultValuedAttr<I32Attr, "0">:$dimension,
                       MapPointer:$map, I64:$value);
  let assemblyFormat = [{
    $field (`of` $dimension^)? `in` $map `,` $value attr-dict `:` type($map)
  }];
  let hasVerifier = 1;
}

def Fairlead_MapPublishOp : Fairlead_Op<"map_publish",
    [Needs<"Mbarrier", 83>,
     Ptx<"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [$0], [$1], 128;">]> {
  let summary = "Copies a tensor map from shared to global memory, by all lanes of a warp, and makes it "
                "visible to copies after their acquire";
  let arguments = (ins GlobalPointer:$global, LLVM_PointerInAddressSpace<3>:$shared);
  let assemblyFormat = "$shared `to` $global attr-dict `:` type($shared) `,` type($global)";
}

// LLVM's intrinsic only orders accesses of the map itself. Inline PTX also keeps the copies that use the map behind it.
def Fairlead_MapAcquireOp : Fairlead_Op<"map_acquire",
    [StaysInPlace, Needs<"Mbarrier", 83>, Ptx<"fence.proxy.tensormap::generic.acquire.gpu [$0], 128;">]> {
  let summary = "Makes the published state of a tensor map visible to this thread's copies";
  let arguments = (ins Read<GlobalPointer>:$map);
  let assemblyFormat = "$map attr-dict `:` type($map)";
}

def Fairlead_MapPrefetchOp : Fairlead_Op<"map_prefetch",
    [StaysInPlace, Needs<"Mbarrier">, Ptx<"prefetch.tensormap [$0];">]> {
  let summary = "Brings a tensor map into the cache";
  let arguments = (ins Read<GlobalPointer>:$map);
  let assemblyFormat = "$map attr-dict `:` type($map)";
}

#endif // FAIRLEAD_LIB_IR_TENSORMAPS_TD_
