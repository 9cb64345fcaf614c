// printf outside of device modules calls the runtime, with its text as a constant; a breakpoint stops there. That of kernels
// for GPUs stays.
// RUN: fairlead-opt %s --fairlead-print-calls | FileCheck %s

// CHECK-DAG: llvm.mlir.global private constant @format_0("x = %d\00")
// CHECK-DAG: llvm.mlir.global private constant @format_1("stop\00")
// CHECK: gpu.func @kernel
// CHECK: gpu.printf "thread %d"
// CHECK-LABEL: func.func @host
// CHECK: %[[FORMAT:.*]] = llvm.mlir.addressof @format_0
// CHECK: llvm.call @FairleadPrintf(%[[FORMAT]], %arg1)
// CHECK: %[[FORMAT:.*]] = llvm.mlir.addressof @format_1
// CHECK: llvm.call @FairleadCheckStop(%[[FORMAT]])
// CHECK-NOT: gpu.printf
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @kernel(%x: i32) kernel {
      gpu.printf "thread %d", %x : i32
      gpu.return
    }
  }
  func.func @host(%context: !llvm.ptr, %x: i32) {
    gpu.printf "x = %d", %x : i32
    gpu.printf "stop" {fairlead.stop}
    return
  }
}
