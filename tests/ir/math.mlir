// Math functions: our own on the CPU, put where they are called, for vectors too; on CUDA functions that are linked in, here those
// that every build carries.

// RUN: fairlead-lower %s --target=cpu --print=llvm | FileCheck %s --check-prefix=CPU
// RUN: env FAIRLEAD_LIBDEVICE=builtin fairlead-lower %s --target=cuda:sm_80 --print=ptx | FileCheck %s --check-prefix=PTX

// CPU: call <{{[0-9]+}} x float> @llvm.fma.v
// CPU-NOT: _ZGV
// CPU-NOT: @erff
// CPU-NOT: @expf
// CPU-NOT: __nv_

// PTX: .target sm_80
// PTX-NOT: .extern .func
// PTX: .entry apply(
// PTX-NOT: .extern .func

module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @apply(%a: !llvm.ptr) kernel {
      %thread = gpu.thread_id x
      %t = arith.index_cast %thread : index to i64
      %p = llvm.getelementptr inbounds %a[%t] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %x = llvm.load %p : !llvm.ptr -> f32
      %y = math.exp %x : f32
      llvm.store %y, %p : f32, !llvm.ptr
      gpu.return
    }
    gpu.func @apply_erf(%a: !llvm.ptr) kernel {
      %x = llvm.load %a : !llvm.ptr -> f32
      %y = math.erf %x : f32
      llvm.store %y, %a : f32, !llvm.ptr
      gpu.return
    }
  }
  func.func @host(%context: !llvm.ptr, %a: !llvm.ptr) {
    %one = arith.constant 1 : i32
    %threads = arith.constant 256 : i32
    %shared = arith.constant 0 : i32
    gpu.launch_func @device::@apply blocks in (%one, %one, %one) threads in (%threads, %one, %one) : i32
      dynamic_shared_memory_size %shared args(%a : !llvm.ptr)
    gpu.launch_func @device::@apply_erf blocks in (%one, %one, %one) threads in (%one, %one, %one) : i32
      dynamic_shared_memory_size %shared args(%a : !llvm.ptr)
    return
  }
}
