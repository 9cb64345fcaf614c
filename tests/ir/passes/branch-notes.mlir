// Under `sync`, kernels report how threads take the branches around operations that they execute together. Reports go where all
// threads provably come together; those of an election stay, because nothing waits there.
// RUN: split-file %s %t
// RUN: fairlead-opt %t/loaded.mlir --fairlead-checks-cpu | FileCheck %s
// RUN: fairlead-opt %t/uniform.mlir --fairlead-checks-cpu --fairlead-fission | FileCheck %s --check-prefix=UNIFORM
// RUN: fairlead-opt %t/elected.mlir --fairlead-checks-cpu | FileCheck %s --check-prefix=ELECTED

// CHECK: gpu.func @kernel
// CHECK: %[[TAKEN:.*]] = arith.extui %[[CONDITION:.*]] : i1 to i32
// CHECK: llvm.call @FairleadCheckBranch(%{{.*}}, %{{.*}}, %{{.*}}, %[[TAKEN]])
// CHECK: scf.if %[[CONDITION]]
// CHECK: llvm.call @FairleadCheckBranch(
// CHECK: nvvm.barrier
// CHECK: %[[LEAVES:.*]] = arith.constant 3 : i32
// CHECK: llvm.call @FairleadCheckBranch(%{{.*}}, %{{.*}}, %{{.*}}, %[[LEAVES]])
// CHECK: %[[ACTS:.*]] = arith.constant 4 : i32
// CHECK: llvm.call @FairleadCheckBranch(%{{.*}}, %{{.*}}, %{{.*}}, %[[ACTS]])
// CHECK: llvm.store
// UNIFORM: llvm.func internal @kernel
// UNIFORM-NOT: call @FairleadCheckBranch
// ELECTED: llvm.call @FairleadCheckBranch(
// ELECTED: llvm.call @FairleadCheckReaches(
// ELECTED: nvvm.elect.sync
//--- loaded.mlir
module attributes {gpu.container_module, fairlead.checks = "sync"} {
  gpu.module @device {
    gpu.func @kernel(%a: !llvm.ptr) kernel {
      %x = llvm.load %a : !llvm.ptr -> i32
      %zero = arith.constant 0 : i32
      %some = arith.cmpi sgt, %x, %zero : i32
      scf.if %some {
        nvvm.barrier
      }
      llvm.store %zero, %a : i32, !llvm.ptr
      gpu.return
    }
  }
}
//--- uniform.mlir
module attributes {gpu.container_module, fairlead.checks = "sync"} {
  gpu.module @device {
    gpu.func @kernel(%a: !llvm.ptr, %x: i32) kernel {
      %zero = arith.constant 0 : i32
      %some = arith.cmpi sgt, %x, %zero : i32
      scf.if %some {
        nvvm.barrier
      }
      llvm.store %zero, %a : i32, !llvm.ptr
      gpu.return
    }
  }
}
//--- elected.mlir
module attributes {gpu.container_module, fairlead.checks = "sync"} {
  gpu.module @device {
    gpu.func @kernel(%a: !llvm.ptr, %x: i32) kernel {
      %zero = arith.constant 0 : i32
      %some = arith.cmpi sgt, %x, %zero : i32
      scf.if %some {
        %elected = nvvm.elect.sync -> i1
      }
      gpu.return
    }
  }
}
