// Clusters on the CPU: each block is one of its own. The wait for a cluster is a barrier of the block, an election is won by
// lane 0, and what waits for other kernels is gone.
// RUN: fairlead-lower %s --target=cpu --print=mlir | FileCheck %s

// CHECK-LABEL: llvm.func internal @cluster(
// CHECK-SAME: %arg2: i32, %arg3: i32, %arg4: i32
// CHECK-NOT: nvvm.
// Two loops over the threads, as there is a barrier between them. In the first: cluster indices are block indices.
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: llvm.store %arg2, %{{.*}} {{.*}}: i32, !llvm.ptr
// CHECK: llvm.store %c0_i32{{.*}}, %{{.*}} {{.*}}: i32, !llvm.ptr
// CHECK: llvm.store %c1_i32{{.*}}, %{{.*}} {{.*}}: i32, !llvm.ptr
// CHECK: scf.for
// In the second: the shared memory of the block next to it is its own.
// CHECK: arith.andi
// CHECK: arith.cmpi eq
// CHECK: scf.if
// CHECK: llvm.load %arg5
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
