// What a launch asks for beyond its extents is an operand of it: on CUDA members of a larger structure, which the launch's flags
// (8) announce; on the CPU only the stream is left of it.
// RUN: fairlead-lower %s --target=cuda:sm_90a --print=mlir | FileCheck %s --check-prefix=CUDA
// RUN: fairlead-lower %s --target=cpu --print=mlir | FileCheck %s --check-prefix=CPU

// CUDA-LABEL: func.func @host
// CUDA: llvm.alloca %{{.*}} x !llvm.struct<(array<12 x i32>, ptr, array<4 x i32>, ptr, ptr, array<4 x i32>)>
// CUDA-NOT: fairlead.launch_extras
// CUDA: %[[FLAGS:.*]] = arith.constant 8 : i32
// CUDA: llvm.store %[[FLAGS]], %{{.*}} : i32, !llvm.ptr
// The stream, then the preferred cluster, the events and the numbers.
// CUDA: llvm.store %arg1, %{{.*}} : !llvm.ptr, !llvm.ptr
// CUDA: llvm.getelementptr %{{.*}}[56] : (!llvm.ptr) -> !llvm.ptr, i8
// CUDA: llvm.getelementptr %{{.*}}[72] : (!llvm.ptr) -> !llvm.ptr, i8
// CUDA-NEXT: llvm.store %arg2, %{{.*}} : !llvm.ptr, !llvm.ptr
// CUDA: arith.constant 25 : i32
// CUDA: llvm.getelementptr %{{.*}}[68] : (!llvm.ptr) -> !llvm.ptr, i8
// CUDA: llvm.call @FairleadCudaLaunch

// CPU-LABEL: func.func @host
// CPU: llvm.alloca %{{.*}} x !llvm.struct<(array<12 x i32>, ptr)>
// CPU-NOT: fairlead.launch_extras
// CPU: llvm.store %arg1, %{{.*}} : !llvm.ptr, !llvm.ptr
// CPU-NOT: llvm.store %arg2
// CPU: llvm.call @FairleadCpuLaunch
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @nothing() kernel {
      gpu.return
    }
  }
  func.func @host(%context: !llvm.ptr, %stream: !llvm.ptr, %event: !llvm.ptr) {
    %one = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    %none = llvm.mlir.zero : !llvm.ptr
    %extras = fairlead.launch_extras stream %stream : !llvm.ptr cluster(%one, %one, %one) completion %event flags 0
      programmatic %none flags 0 carveout 25 : !llvm.ptr, !llvm.ptr -> !llvm.ptr
    gpu.launch_func <%extras : !llvm.ptr> @device::@nothing blocks in (%one, %one, %one) threads in (%one, %one, %one) : i32
      dynamic_shared_memory_size %zero
    return
  }
}
