// Operations that are the same in the LLVM dialect become those, one by one; those with flags, and those on types that LLVM has
// not, are left to the conversion.
// RUN: fairlead-opt %s --fairlead-direct-ops | FileCheck %s

// CHECK-LABEL: gpu.func @direct
// CHECK: llvm.mlir.constant(2 : i32) : i32
// CHECK: llvm.add %{{.*}} : i32
// CHECK: llvm.mul %{{.*}} : i32
// CHECK: llvm.icmp "slt" %{{.*}} : i32
// CHECK: llvm.sext %{{.*}} : i32 to i64
// CHECK: llvm.fadd %{{.*}} : f32
// CHECK: llvm.intr.maximum(%{{.*}}) : (f32, f32) -> f32
// CHECK-NOT: arith.
// CHECK: gpu.return

// CHECK-LABEL: gpu.func @left
// CHECK: arith.addi %{{.*}} overflow<nsw> : i32
// CHECK: arith.addf %{{.*}} fastmath<fast> : f32
// CHECK: arith.addi %{{.*}} : index
// CHECK-NOT: llvm.add
// CHECK: gpu.return
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @direct(%i: i32, %x: f32, %p: !llvm.ptr) kernel {
      %two = arith.constant 2 : i32
      %sum = arith.addi %i, %two : i32
      %product = arith.muli %sum, %i : i32
      %less = arith.cmpi slt, %product, %i : i32
      %wide = arith.extsi %product : i32 to i64
      %y = arith.addf %x, %x : f32
      %z = arith.maximumf %y, %x : f32
      llvm.store %less, %p : i1, !llvm.ptr
      llvm.store %wide, %p : i64, !llvm.ptr
      llvm.store %z, %p : f32, !llvm.ptr
      gpu.return
    }
    gpu.func @left(%i: i32, %x: f32, %n: index, %p: !llvm.ptr) kernel {
      %sum = arith.addi %i, %i overflow<nsw> : i32
      %y = arith.addf %x, %x fastmath<fast> : f32
      %m = arith.addi %n, %n : index
      %k = arith.index_cast %m : index to i64
      llvm.store %sum, %p : i32, !llvm.ptr
      llvm.store %y, %p : f32, !llvm.ptr
      llvm.store %k, %p : i64, !llvm.ptr
      gpu.return
    }
  }
  func.func @host(%context: !llvm.ptr) {
    return
  }
}
