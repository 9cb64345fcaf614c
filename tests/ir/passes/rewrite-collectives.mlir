// Operations that the CPU does by others are rewritten: an asynchronous copy is a load and a store, what it waits for is gone, one
// lane is elected by its index. Operations that are emitted later, such as barriers and shuffles, stay.
// RUN: fairlead-opt %s --fairlead-rewrite-collectives | FileCheck %s

// CHECK: gpu.func @kernel(%[[TO:.*]]: !llvm.ptr<3>, %[[FROM:.*]]: !llvm.ptr<1>,
// CHECK-NOT: nvvm.cp.async
// CHECK: %[[VALUE:.*]] = llvm.load %[[FROM]]
// CHECK: llvm.store %[[VALUE]], %[[TO]]
// CHECK-NOT: nvvm.cp.async
// CHECK: nvvm.barrier
// CHECK-NOT: nvvm.elect.sync
// CHECK: %[[LANE:.*]] = arith.andi %{{.*}}, %c31_i32
// CHECK: %[[ELECTED:.*]] = arith.cmpi eq, %[[LANE]]
// CHECK: scf.if %[[ELECTED]]
// CHECK: nvvm.shfl.sync
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @kernel(%tile: !llvm.ptr<3>, %a: !llvm.ptr<1>, %out: !llvm.ptr) kernel {
      nvvm.cp.async.shared.global %tile, %a, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
      nvvm.cp.async.commit.group
      nvvm.cp.async.wait.group 0
      nvvm.barrier
      %full = arith.constant -1 : i32
      %zero = arith.constant 0 : i32
      %last = arith.constant 31 : i32
      %first = nvvm.elect.sync -> i1
      scf.if %first {
        llvm.store %full, %out : i32, !llvm.ptr
      }
      %x = nvvm.shfl.sync idx %full, %zero, %zero, %last : i32 -> i32
      llvm.store %x, %out : i32, !llvm.ptr
      gpu.return
    }
  }
}
