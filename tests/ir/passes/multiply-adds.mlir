// In kernels a sum with a product in it is one operation, of two products with the left one; a product that is used elsewhere
// stays beside it. Halves, products of other operations and host functions stay as they are.
// RUN: fairlead-opt %s --fairlead-multiply-adds | FileCheck %s

// CHECK: gpu.func @kernel(%[[X:.*]]: f32, %[[Y:.*]]: f32, %[[H:.*]]: f16,
// CHECK-NEXT: %[[XX:.*]] = arith.mulf %[[X]], %[[X]]
// CHECK-NEXT: %[[SUM:.*]] = llvm.intr.fma(%[[X]], %[[Y]], %[[XX]])
// CHECK-NEXT: %[[MINUS:.*]] = llvm.fneg %[[X]]
// CHECK-NEXT: llvm.intr.fma(%[[MINUS]], %[[X]], %[[SUM]])
// CHECK-NEXT: arith.mulf %[[H]], %[[H]] : f16
// CHECK-NEXT: arith.addf {{.*}} : f16
// CHECK-LABEL: func.func @host
// CHECK: arith.mulf
// CHECK-NEXT: arith.addf
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @kernel(%x: f32, %y: f32, %h: f16, %out: !llvm.ptr) kernel {
      %xy = arith.mulf %x, %y : f32
      %xx = arith.mulf %x, %x : f32
      %sum = arith.addf %xy, %xx : f32
      %difference = arith.subf %sum, %xx : f32
      %hh = arith.mulf %h, %h : f16
      %half = arith.addf %hh, %h : f16
      llvm.store %difference, %out : f32, !llvm.ptr
      llvm.store %half, %out : f16, !llvm.ptr
      gpu.return
    }
  }
  func.func @host(%context: !llvm.ptr, %x: f32) -> f32 {
    %xx = arith.mulf %x, %x : f32
    %sum = arith.addf %xx, %x : f32
    return %sum : f32
  }
}
