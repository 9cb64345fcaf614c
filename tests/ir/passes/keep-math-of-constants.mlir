// Constants are hidden from mathematical functions of kernels. Other operands, and square roots, whose result is the same
// everywhere, keep theirs.
// RUN: fairlead-opt %s --fairlead-keep-math-of-constants | FileCheck %s

// CHECK: gpu.func @kernel(%[[X:.*]]: f32,
// CHECK: %[[TWO:.*]] = arith.constant 2.0
// CHECK: %[[HIDDEN:.*]] = llvm.freeze %[[TWO]] : f32
// CHECK: math.exp %[[HIDDEN]]
// CHECK: %[[HIDDEN:.*]] = llvm.freeze %[[TWO]] : f32
// CHECK: math.powf %[[X]], %[[HIDDEN]]
// CHECK-NOT: llvm.freeze
// CHECK: math.sqrt %[[TWO]]
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @kernel(%x: f32, %out: !llvm.ptr) kernel {
      %two = arith.constant 2.0 : f32
      %0 = math.exp %two : f32
      %1 = math.powf %x, %two : f32
      %2 = math.sqrt %two : f32
      llvm.store %0, %out : f32, !llvm.ptr
      llvm.store %1, %out : f32, !llvm.ptr
      llvm.store %2, %out : f32, !llvm.ptr
      gpu.return
    }
  }
}
