// Kernels of a program with checks report their accesses to the runtime, and stop using addresses that are out of bounds. A kernel
// of a program without checks stays as it is; so do host functions.
// RUN: split-file %s %t
// RUN: fairlead-opt %t/checked.mlir --fairlead-checks-cpu | FileCheck %s
// RUN: fairlead-opt %t/plain.mlir --fairlead-checks-cpu | FileCheck %s --check-prefix=PLAIN
// RUN: fairlead-opt %t/values.mlir --fairlead-checks-cpu | FileCheck %s --check-prefix=VALUES
// RUN: fairlead-opt %t/floats.mlir --fairlead-checks-cpu | FileCheck %s --check-prefix=FLOATS

// CHECK: llvm.mlir.global internal @site_1({{.*}}Float32 (8):(1)
// CHECK: gpu.func @kernel
// CHECK-SAME: fairlead.checked
// CHECK-NOT: fairlead.index
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %arg1, %c8_i64
// CHECK: %[[CHECKED:.*]] = scf.if %[[INSIDE]] -> (!llvm.ptr)
// CHECK: llvm.call @FairleadCheckIndex(
// CHECK: llvm.call @FairleadCheckInstead(
// CHECK: %[[ADDRESS:.*]] = llvm.call @FairleadCheckTensorRange(%{{.*}}, %{{.*}}, %[[CHECKED]], %arg0
// CHECK: llvm.store %{{.*}}, %[[ADDRESS]]
// CHECK: func.func @host
// CHECK-NOT: FairleadCheck
// PLAIN-NOT: FairleadCheck
// PLAIN-NOT: fairlead.checked
// VALUES: fairlead.shadowed
// VALUES: %[[OWN:.*]] = llvm.alloca
// VALUES-NOT: FairleadCheckValue
// VALUES: %[[X:.*]] = llvm.load %[[OWN]]
// VALUES: llvm.call @FairleadCheckValue(
// VALUES: llvm.store %[[X]]
// VALUES: gpu.return
// FLOATS: %[[SUM:.*]] = arith.addf
// FLOATS: scf.if
// FLOATS: llvm.call @FairleadCheckFinite
// FLOATS: arith.negf
//--- checked.mlir
module attributes {gpu.container_module, fairlead.checks = "bounds"} {
  gpu.module @device {
    gpu.func @kernel(%a: !llvm.ptr, %i: i64) kernel {
      %one = arith.constant 1.0 : f32
      %eight = arith.constant 8 : i64
      %p = llvm.getelementptr %a[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %q = fairlead.index %p[%i, %eight] of "Float32 (8):(1)" in global modes [0] : !llvm.ptr
      llvm.store %one, %q : f32, !llvm.ptr
      gpu.return
    }
  }
  func.func @host(%context: !llvm.ptr, %a: !llvm.ptr, %x: f32) {
    llvm.store %x, %a : f32, !llvm.ptr
    return
  }
}
//--- plain.mlir
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @kernel(%a: !llvm.ptr, %x: f32) kernel {
      llvm.store %x, %a : f32, !llvm.ptr
      gpu.return
    }
  }
}
//--- values.mlir
module attributes {gpu.container_module, fairlead.checks = "init"} {
  gpu.module @device {
    gpu.func @kernel(%a: !llvm.ptr, %b: !llvm.ptr) kernel {
      %one = arith.constant 1 : i32
      %own = llvm.alloca %one x f32 : (i32) -> !llvm.ptr
      %x = llvm.load %a : !llvm.ptr -> f32
      llvm.store %x, %own : f32, !llvm.ptr
      %y = llvm.load %own : !llvm.ptr -> f32
      llvm.store %y, %b : f32, !llvm.ptr
      gpu.return
    }
  }
}
//--- floats.mlir
module attributes {gpu.container_module, fairlead.checks = "float"} {
  gpu.module @device {
    gpu.func @kernel(%x: f32, %i: i32, %out: !llvm.ptr) kernel {
      %sum = arith.addf %x, %x : f32
      %next = arith.addi %i, %i : i32
      %minus = arith.negf %sum : f32
      llvm.store %minus, %out : f32, !llvm.ptr
      llvm.store %next, %out : i32, !llvm.ptr
      gpu.return
    }
  }
}
