// Cluster launch control: running clusters take over clusters that have not started.
#ifndef FAIRLEAD_LIB_IR_LAUNCHCONTROL_TD_
#define FAIRLEAD_LIB_IR_LAUNCHCONTROL_TD_

include "ir/Base.td"

def OwnShared : AnyTypeOf<[LLVM_PointerInAddressSpace<3>], "an address in this block's shared memory">;

def Fairlead_TryCancelOp : Fairlead_Op<"try_cancel",
    [IssuedByOneLane, Needs<"ClusterLaunchControl", 86>, Async<"BulkCopies">]> {
  let summary = "Asks for a cluster of the grid that has not started, which then never starts";
  let description = [{
    The answer, 16 bytes, comes to `response`, and its bytes count at the mbarrier. `multicast`: it comes to all blocks
    of the cluster, each at these places of its shared memory.
  }];
  let arguments = (ins Write<OwnShared>:$response, ReadWrite<OwnShared>:$barrier, UnitAttr:$multicast);
  let assemblyFormat = [{
    $response `at` $barrier (`multicast` $multicast^)? attr-dict `:` type($response) `,` type($barrier)
  }];
}

def Fairlead_QueryCancelOp : Fairlead_Op<"query_cancel", [Needs<"ClusterLaunchControl", 86>, Pure]> {
  let summary = "Reads an answer to try_cancel: the first block of the cancelled cluster, and whether there is one";
  let description = [{`words` are the 16 bytes of the answer. Without such a cluster, the indices have no meaning.}];
  let arguments = (ins VectorOfLengthAndType<[4], [I32]>:$words);
  let results = (outs I32:$x, I32:$y, I32:$z, I1:$cancelled);
  let assemblyFormat = "$words attr-dict `:` type($words)";
}

#endif // FAIRLEAD_LIB_IR_LAUNCHCONTROL_TD_
