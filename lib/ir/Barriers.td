// Mbarriers in shared memory, and a fence that no intrinsic of LLVM's stands for.
#ifndef FAIRLEAD_LIB_IR_BARRIERS_TD_
#define FAIRLEAD_LIB_IR_BARRIERS_TD_

include "ir/Base.td"

def Fairlead_MbarrierInitOp : Fairlead_Op<"mbarrier.init",
    [Needs<"Mbarrier">, Ptx<"mbarrier.init.shared::cta.b64 [$0], $1;">]> {
  let summary = "Begins an mbarrier, whose phases end after `arrivals` arrivals";
  let arguments = (ins SharedPointer:$barrier, I32:$arrivals);
  let assemblyFormat = "$barrier `,` $arrivals attr-dict `:` type($barrier)";
}

def Fairlead_MbarrierArriveOp : Fairlead_Op<"mbarrier.arrive", [Needs<"Mbarrier">]> {
  let summary = "Arrives at an mbarrier `count` times";
  let description = [{
    `after_reading`: other threads need not see what this thread wrote before. `block`: at the mbarrier
    of that block of the cluster.
  }];
  let arguments = (ins SharedPointer:$barrier, I32:$count, Optional<I32>:$block,
                       UnitAttr:$after_reading);
  let assemblyFormat = [{
    $barrier `,` $count (`of` $block^)? (`after_reading` $after_reading^)? attr-dict `:` type($barrier)
  }];
}

def Fairlead_MbarrierArriveExpectOp : Fairlead_Op<"mbarrier.arrive_expect", [Needs<"Mbarrier">]> {
  let summary = "Arrives at an mbarrier, whose phase also waits for `bytes` bytes of copies";
  let arguments = (ins SharedPointer:$barrier, I32:$bytes, Optional<I32>:$block);
  let assemblyFormat = "$barrier `,` $bytes (`of` $block^)? attr-dict `:` type($barrier)";
}

def Fairlead_MbarrierExpectOp : Fairlead_Op<"mbarrier.expect", [Needs<"Mbarrier">]> {
  let summary = "Makes the phase of an mbarrier wait for `bytes` bytes of copies";
  let arguments = (ins SharedPointer:$barrier, I32:$bytes, Optional<I32>:$block);
  let assemblyFormat = "$barrier `,` $bytes (`of` $block^)? attr-dict `:` type($barrier)";
}

def Fairlead_MbarrierArriveAfterCopiesOp : Fairlead_Op<"mbarrier.arrive_after_copies",
    [Needs<"Mbarrier">, Ptx<"cp.async.mbarrier.arrive.noinc.shared::cta.b64 [$0];">]> {
  let summary = "Arrives at an mbarrier when this thread's element copies (cp.async) are done";
  let arguments = (ins SharedPointer:$barrier);
  let assemblyFormat = "$barrier attr-dict `:` type($barrier)";
}

def Fairlead_MbarrierWaitOp : Fairlead_Op<"mbarrier.wait",
    [Collective<"Lane">, Needs<"Mbarrier">,
     Ptx<"{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [$0], $1; @!p bra again; }">]> {
  let summary = "Waits until the phase of this parity has ended";
  let arguments = (ins SharedPointer:$barrier, I32:$parity);
  let assemblyFormat = "$barrier `,` $parity attr-dict `:` type($barrier)";
}

def Fairlead_MbarrierTestOp : Fairlead_Op<"mbarrier.test", [Collective<"Lane">, Needs<"Mbarrier">]> {
  let summary = "Tells whether the phase of this parity has ended";
  let description = [{`may_suspend`: the thread may be suspended for a while until it has.}];
  let arguments = (ins SharedPointer:$barrier, I32:$parity, UnitAttr:$may_suspend);
  let results = (outs I1:$ended);
  let assemblyFormat = [{
    $barrier `,` $parity (`may_suspend` $may_suspend^)? attr-dict `:` type($barrier)
  }];
}

def Fairlead_StoreAsyncOp : Fairlead_Op<"store_async", [Needs<"Mbarrier", 81>, Async<"RemoteStores">]> {
  let summary = "Stores a number in shared memory of a block of the cluster, and counts its bytes at "
                "the mbarrier there";
  let description = [{Without `block` both addresses are those of the block itself.}];
  let arguments = (ins AnyTypeOf<[I32, I64, F32, F64], "a number of 32 or 64 bits">:$value,
                       SharedPointer:$target, SharedPointer:$barrier, Optional<I32>:$block);
  let assemblyFormat = [{
    $value `,` $target `,` $barrier (`of` $block^)? attr-dict `:` type($value) `,` type($target) `,`
    type($barrier)
  }];
}

def Fairlead_ClusterFenceOp : Fairlead_Op<"cluster_fence",
    [Needs<"Mbarrier">, Ptx<"fence.acq_rel.cluster;">]> {
  let summary = "Orders this thread's memory accesses for all threads of the cluster";
  let assemblyFormat = "attr-dict";
}

#endif // FAIRLEAD_LIB_IR_BARRIERS_TD_
