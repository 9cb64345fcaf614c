// Cluster launch control: an elected thread asks, and every thread reads the answer. On the CPU the runtime answers.
// RUN: fairlead-lower %s --target=cuda:sm_100a --print=ptx | FileCheck %s
// RUN: fairlead-lower %s --target=cpu --print=mlir | FileCheck %s --check-prefix=CPU

// CPU-LABEL: llvm.func internal @take
// CPU: llvm.call @FairleadCpuTryCancel(%{{.*}}, %{{.*}}, %c1_i32
// CPU-NOT: query_cancel

module attributes {gpu.container_module} {
  gpu.module @device {
    // CHECK: .version 8.6
    // CHECK-LABEL: .entry take
    gpu.func @take(%to: !llvm.ptr<3>, %bar: !llvm.ptr<3>, %out: !llvm.ptr) kernel {
      // CHECK: elect.sync _|p, -1; @p clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [%r{{[0-9]+}}], [%r{{[0-9]+}}];
      fairlead.try_cancel %to at %bar multicast : !llvm.ptr<3>, !llvm.ptr<3>
      // CHECK: ld.shared.v4.b32
      %words = llvm.load %to {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
      // CHECK: clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 cancelled, answer;
      // CHECK-SAME: @cancelled clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}, _}, answer;
      %x, %y, %z, %is = fairlead.query_cancel %words : vector<4xi32>
      %number = arith.extui %is : i1 to i32
      %sum = arith.addi %x, %number : i32
      llvm.store %sum, %out : i32, !llvm.ptr
      gpu.return
    }
  }
  func.func @host(%ctx: !llvm.ptr) { return }
}
