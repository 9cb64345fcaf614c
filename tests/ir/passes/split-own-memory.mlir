// A part of private memory that is written before it is read, on the same side of each barrier, becomes memory of its own. A part
// that lasts over a barrier stays where it was.
// RUN: fairlead-opt %s --fairlead-split-own-memory | FileCheck %s

// CHECK: gpu.func @kernel
// CHECK: %[[APART:.*]] = llvm.alloca %{{.*}} x f32
// CHECK: %[[BOTH:.*]] = llvm.alloca %{{.*}} x f32
// CHECK: llvm.store %{{.*}}, %[[BOTH]]
// CHECK: nvvm.barrier
// CHECK: %[[ELEMENT:.*]] = llvm.getelementptr inbounds %[[APART]]
// CHECK: llvm.store %{{.*}}, %[[ELEMENT]]
// CHECK: %[[ELEMENT:.*]] = llvm.getelementptr inbounds %[[APART]]
// CHECK: llvm.load %[[ELEMENT]]
// CHECK: llvm.load %[[BOTH]]
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @kernel(%out: !llvm.ptr, %x: f32, %y: f32) kernel {
      %two = arith.constant 2 : i32
      %own = llvm.alloca %two x f32 : (i32) -> !llvm.ptr
      %second = llvm.getelementptr %own[1] : (!llvm.ptr) -> !llvm.ptr, f32
      llvm.store %x, %own : f32, !llvm.ptr
      nvvm.barrier
      llvm.store %y, %second : f32, !llvm.ptr
      %1 = llvm.load %second : !llvm.ptr -> f32
      %0 = llvm.load %own : !llvm.ptr -> f32
      %sum = arith.addf %0, %1 : f32
      llvm.store %sum, %out : f32, !llvm.ptr
      gpu.return
    }
  }
}
