// A read of private memory becomes the value that was written in the same block, and a write that another one replaces is gone.
// Behind a barrier nothing is known of what was written before it; shared memory is not private.
// RUN: fairlead-opt %s --fairlead-forward-own-memory | FileCheck %s

// CHECK: gpu.func @kernel(%[[TILE:.*]]: !llvm.ptr<3>, %[[OUT:.*]]: !llvm.ptr, %[[X:.*]]: f32, %[[Y:.*]]: f32)
// CHECK: %[[OWN:.*]] = llvm.alloca
// CHECK-NOT: llvm.store %[[X]], %[[OWN]]
// CHECK: llvm.store %[[X]], %[[OUT]]
// CHECK-NEXT: llvm.store %[[Y]], %[[OWN]]
// CHECK-NEXT: nvvm.barrier
// CHECK-NEXT: %[[READ:.*]] = llvm.load %[[OWN]]
// CHECK-NEXT: llvm.store %[[READ]], %[[OUT]]
// CHECK-NEXT: llvm.store %[[X]], %[[TILE]]
// CHECK-NEXT: %[[SHARED:.*]] = llvm.load %[[TILE]]
// CHECK-NEXT: llvm.store %[[SHARED]], %[[OUT]]
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @kernel(%tile: !llvm.ptr<3>, %out: !llvm.ptr, %x: f32, %y: f32) kernel {
      %one = arith.constant 1 : i32
      %own = llvm.alloca %one x f32 : (i32) -> !llvm.ptr
      llvm.store %x, %own : f32, !llvm.ptr
      %0 = llvm.load %own : !llvm.ptr -> f32
      llvm.store %0, %out : f32, !llvm.ptr
      llvm.store %y, %own : f32, !llvm.ptr
      nvvm.barrier
      %1 = llvm.load %own : !llvm.ptr -> f32
      llvm.store %1, %out : f32, !llvm.ptr
      llvm.store %x, %tile : f32, !llvm.ptr<3>
      %2 = llvm.load %tile : !llvm.ptr<3> -> f32
      llvm.store %2, %out : f32, !llvm.ptr
      gpu.return
    }
  }
}
