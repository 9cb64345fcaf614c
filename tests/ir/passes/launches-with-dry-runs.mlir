// What only a dry run uses is stored where it runs: arguments that the launch of the kernel leaves out, and the flag of
// kernels that may jump.
// RUN: fairlead-opt %s --fairlead-lower-launches-cpu --verify-each=false --mlir-print-assume-verified | FileCheck %s

// CHECK: %[[PARAMETERS:.*]] = llvm.alloca %{{.*}} x !llvm.array<2 x ptr>
// CHECK-NOT: llvm.store %arg2
// CHECK: llvm.store %arg1
// CHECK-NOT: llvm.getelementptr %[[PARAMETERS]][1]
// CHECK: scf.if %arg3 {
// CHECK: llvm.store %arg2
// CHECK-NEXT: llvm.getelementptr %[[PARAMETERS]][1]
// CHECK: %[[FLAGS:.*]] = arith.constant 4 : i32
// CHECK: llvm.store %[[FLAGS]]
// CHECK: llvm.call @FairleadCpuLaunch
// CHECK: }
// CHECK-NOT: llvm.store
// CHECK: llvm.call @FairleadCpuLaunch
// CHECK: return
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @kernel(%a: !llvm.ptr, %high: i64) kernel { gpu.return }
    gpu.func @kernel.dry_run(%a: !llvm.ptr, %high: i64) kernel { gpu.return }
  }
  func.func @host(%context: !llvm.ptr, %a: !llvm.ptr, %high: i64, %fails: i1) {
    %one = arith.constant 1 : i32
    %none = llvm.mlir.poison : i64
    scf.if %fails {
      gpu.launch_func @device::@kernel.dry_run blocks in (%one, %one, %one) threads in (%one, %one, %one) : i32
        args(%a : !llvm.ptr, %high : i64)
    }
    gpu.launch_func @device::@kernel blocks in (%one, %one, %one) threads in (%one, %one, %one) : i32
      args(%a : !llvm.ptr, %none : i64)
    return
  }
}
