// A launch becomes a call of the runtime: with the kernel's function on the CPU, with its position in the device module on CUDA.
// Its extents, then its arguments, are on the stack of the host function. A tensor map is memory that the runtime fills; a GPU
// gets it by value. All else of the host function stays.
// RUN: fairlead-opt %s --fairlead-lower-launches-cpu --verify-each=false --mlir-print-assume-verified | FileCheck %s --check-prefixes=CHECK,CPU
// RUN: fairlead-opt %s --fairlead-lower-launches-cuda | FileCheck %s --check-prefixes=CHECK,CUDA

// CPU: llvm.mlir.global private constant @name_of_second("second\00")
// CUDA: llvm.mlir.global external @fairlead_cuda_module()
// CHECK-LABEL: func.func @host(
// CHECK-DAG: %[[LAUNCH:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(array<12 x i32>, ptr)>
// CHECK-DAG: %[[PARAMETERS:.*]] = llvm.alloca %{{.*}} x !llvm.array<2 x ptr>
// CHECK-DAG: %[[NUMBER:.*]] = llvm.alloca %{{.*}} x i32
// CHECK-DAG: %[[MAP:.*]] = llvm.alloca %{{.*}} x !llvm.array<16 x i64> {alignment = 64 : i64}
// CHECK: %[[KEPT:.*]] = arith.addi %arg2, %arg2
// CPU: llvm.call @FairleadCpuTensorMap(%arg0, %{{.*}}, %[[MAP]])
// CUDA: llvm.call @FairleadCudaTensorMap(%arg0, %{{.*}}, %[[MAP]])
// CHECK: llvm.getelementptr %[[LAUNCH]][0]
// CHECK-NEXT: llvm.store %[[KEPT]]
// CPU: llvm.store %[[MAP]], %[[SLOT:.*]] : !llvm.ptr, !llvm.ptr
// CPU-NEXT: %[[ARGUMENT:.*]] = llvm.getelementptr %[[PARAMETERS]][0]
// CPU-NEXT: llvm.store %[[SLOT]], %[[ARGUMENT]]
// CUDA: %[[ARGUMENT:.*]] = llvm.getelementptr %[[PARAMETERS]][0]
// CUDA-NEXT: llvm.store %[[MAP]], %[[ARGUMENT]]
// CHECK: llvm.store %arg2, %[[NUMBER]]
// CPU: %[[NAME:.*]] = llvm.mlir.addressof @name_of_second
// CPU: llvm.call @FairleadCpuLaunch(%arg0, %[[NAME]], %{{.*}}, %[[PARAMETERS]], %[[LAUNCH]])
// CUDA: %[[POSITION:.*]] = arith.constant 1 : i32
// CUDA: llvm.call @FairleadCudaLaunch(%arg0, %{{.*}}, %[[POSITION]], %[[PARAMETERS]], %[[LAUNCH]])
// CHECK-NOT: gpu.launch_func
// CHECK: return
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @first() kernel { gpu.return }
    gpu.func @second(%map: !llvm.ptr, %n: i32) kernel { gpu.return }
  }
  func.func @host(%context: !llvm.ptr, %a: !llvm.ptr, %n: i32) {
    %one = arith.constant 1 : i32
    %long = arith.constant 64 : i64
    %blocks = arith.addi %n, %n : i32
    %map = fairlead.tensor_map %a[%long] strides[] box [16] type 7 bytes 4 swizzle 0 : !llvm.ptr -> !llvm.ptr
    gpu.launch_func @device::@second blocks in (%blocks, %one, %one) threads in (%one, %one, %one) : i32
      args(%map : !llvm.ptr, %n : i32)
    return
  }
}
