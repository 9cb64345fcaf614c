// Clusters on the CPU: indices are computed from the block's and the launch's cluster (0 is 1), threads that wait for the cluster are
// suspended, the runtime maps addresses, an election is won by lane 0, and what waits for other kernels is gone.
// RUN: fairlead-lower %s --target=cpu --print=mlir | FileCheck %s

// CHECK-LABEL: llvm.func internal @cluster_thread(
// CHECK-SAME: %arg2: i32, %arg3: i32, %arg4: i32
// CHECK-NOT: nvvm.
// CHECK: %[[FIELD:.*]] = llvm.getelementptr %arg1[6]
// CHECK: %[[GIVEN:.*]] = llvm.load %[[FIELD]]
// CHECK: %[[EXTENT:.*]] = arith.maxsi %[[GIVEN]], %{{.*}} : i32
// CHECK: arith.divui %arg2, %{{.*}} : i32
// CHECK: arith.remui %arg4, %{{.*}} : i32
// CHECK: llvm.call @fairlead_wait(%arg9, %c14_i32
// CHECK: llvm.call @fairlead_wait(%arg9, %c15_i32
// CHECK: llvm.call @FairleadCpuMapShared(
// CHECK: arith.andi
// CHECK: arith.cmpi eq
// CHECK: scf.if
// CHECK: llvm.call @fairlead_wait(%arg9, %c14_i32
// CHECK-NOT: nvvm.
// CHECK: llvm.return
module attributes {gpu.container_module} {
  gpu.module @device {
    llvm.mlir.global external @fairlead_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
    gpu.func @cluster(%a: !llvm.ptr) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      nvvm.griddepcontrol wait
      %x = gpu.thread_id x
      %t = arith.index_cast %x : index to i64
      %p = llvm.getelementptr %a[%t] : (!llvm.ptr, i64) -> !llvm.ptr, i32
      %cluster = nvvm.read.ptx.sreg.clusterid.x : i32
      llvm.store %cluster, %p : i32, !llvm.ptr
      %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
      llvm.store %rank, %p : i32, !llvm.ptr
      %size = nvvm.read.ptx.sreg.cluster.nctarank : i32
      llvm.store %size, %p : i32, !llvm.ptr
      nvvm.cluster.arrive
      nvvm.cluster.wait
      %one = arith.constant 1 : i32
      %base = llvm.mlir.addressof @fairlead_shared : !llvm.ptr<3>
      %other = nvvm.mapa %base, %one : !llvm.ptr<3> -> !llvm.ptr<7>
      %elected = nvvm.elect.sync -> i1
      scf.if %elected {
        %v = llvm.load %other : !llvm.ptr<7> -> i32
        llvm.store %v, %p : i32, !llvm.ptr
      }
      nvvm.cluster.arrive.relaxed
      nvvm.griddepcontrol launch_dependents
      gpu.return
    }
  }
  func.func @host(%ctx: !llvm.ptr) { return }
}
