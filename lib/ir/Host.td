// Operations of host programs.
#ifndef FAIRLEAD_LIB_IR_HOST_TD_
#define FAIRLEAD_LIB_IR_HOST_TD_

include "ir/Base.td"

def Fairlead_TensorMapOp : Fairlead_Op<"tensor_map", [AttrSizedOperandSegments]> {
  let summary = "Makes the tensor map of a tensor; its result points to the map's 128 bytes";
  let description = [{
    `extents` in elements, dimension 0 first; `strides` in bytes, of all dimensions but the first. The
    attributes are the fields of FairleadTensorMap.
  }];
  let arguments = (ins LLVM_AnyPointer:$address, Variadic<I64>:$extents, Variadic<I64>:$strides,
                       DenseI32ArrayAttr:$box, I32Attr:$element_type, I32Attr:$element_bytes,
                       I32Attr:$swizzle);
  let results = (outs Res<LLVM_AnyPointer, "", [MemAlloc]>:$map);
  let assemblyFormat = [{
    $address `[` $extents `]` `strides` `[` $strides `]` `box` $box `type` $element_type `bytes`
    $element_bytes `swizzle` $swizzle attr-dict `:` type($address) `->` type($map)
  }];
  let hasVerifier = 1;
}

def Fairlead_LaunchExtrasOp : Fairlead_Op<"launch_extras", [NoMemoryEffect]> {
  let summary = "The stream of a launch that asks for more than a stream";
  let description = [{
    The operands and attributes are members of FairleadLaunchExtras: the preferred cluster's extents,
    the events, their flags. `stream` is the stream itself, if the launch has one.
  }];
  let arguments = (ins I32:$cluster_x, I32:$cluster_y, I32:$cluster_z,
                       LLVM_AnyPointer:$completion_event, LLVM_AnyPointer:$programmatic_event,
                       Optional<LLVM_AnyPointer>:$stream, I32Attr:$carveout,
                       I32Attr:$completion_flags, I32Attr:$programmatic_flags,
                       UnitAttr:$trigger_at_start);
  let results = (outs LLVM_AnyPointer:$extras);
  let assemblyFormat = [{
    (`stream` $stream^ `:` type($stream))? `cluster` `(` $cluster_x `,` $cluster_y `,` $cluster_z `)`
    `completion` $completion_event `flags` $completion_flags `programmatic` $programmatic_event `flags`
    $programmatic_flags (`at_start` $trigger_at_start^)? `carveout` $carveout attr-dict `:`
    type($completion_event) `,` type($programmatic_event) `->` type($extras)
  }];
}

#endif // FAIRLEAD_LIB_IR_HOST_TD_
