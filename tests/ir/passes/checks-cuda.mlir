// Kernels of a program with checks stop with a message at an index or an address out of bounds and at a failed assertion. An
// access that is certainly in its shared allocation has no check; a program without checks stays as it is.
// RUN: split-file %s %t
// RUN: fairlead-opt %t/checked.mlir --fairlead-checks-cuda | FileCheck %s
// RUN: fairlead-opt %t/plain.mlir --fairlead-checks-cuda | FileCheck %s --check-prefix=PLAIN

// CHECK: llvm.func internal @fairlead_check_stop(
// CHECK: llvm.inline_asm has_side_effects
// CHECK: llvm.unreachable
// CHECK: llvm.mlir.global external @fairlead_check_message(0 : i64) {addr_space = 1 : i32}
// CHECK-LABEL: gpu.func @kernel
// CHECK-SAME: fairlead.checked
// CHECK: %[[OUTSIDE:.*]] = arith.cmpi uge, %arg1, %{{.*}} : i64
// CHECK: scf.if %[[OUTSIDE]]
// CHECK: llvm.call @fairlead_check_stop
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK-NOT: llvm.call
// CHECK: llvm.store {{.*}} !llvm.ptr<3>
// CHECK: %[[WRONG:.*]] = arith.xori %arg2
// CHECK: scf.if %[[WRONG]]
// CHECK: llvm.call @fairlead_check_stop
// CHECK: gpu.return
// CHECK-NOT: fairlead.index
// PLAIN-NOT: fairlead_check_stop
// PLAIN: cf.assert
//--- checked.mlir
module attributes {gpu.container_module, fairlead.checks = "bounds"} {
  gpu.module @device {
    llvm.mlir.global external @fairlead_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
    gpu.func @kernel(%a: !llvm.ptr, %i: i64, %fine: i1) kernel {
      %eight = arith.constant 8 : i64
      %p = llvm.getelementptr %a[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %q = fairlead.index %p[%i, %eight] of "Float32 (8):(1)" in global modes [0] : !llvm.ptr
      %x = llvm.load %q : !llvm.ptr -> f32
      %shared = llvm.mlir.addressof @fairlead_shared : !llvm.ptr<3>
      %tile = llvm.getelementptr %shared[0] {fairlead.allocation = array<i64: 0, 16>} : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      llvm.store %x, %tile : f32, !llvm.ptr<3>
      cf.assert %fine, "fine"
      gpu.return
    }
  }
}
//--- plain.mlir
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @kernel(%a: !llvm.ptr, %x: f32, %fine: i1) kernel {
      llvm.store %x, %a : f32, !llvm.ptr
      cf.assert %fine, "fine"
      gpu.return
    }
  }
}
