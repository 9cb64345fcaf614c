// A program that was lowered for one target is what it was, when it is to be lowered for the next.
// RUN: fairlead-lower %s --target=cpu --print=restored | FileCheck %s
// RUN: fairlead-lower %s --target=cuda:sm_80 --print=restored | FileCheck %s

// CHECK: module attributes {gpu.container_module}
// CHECK: gpu.module @device
// CHECK: gpu.func @twice(%{{.*}}: !llvm.ptr) kernel
// CHECK: gpu.thread_id x
// CHECK: arith.addf
// CHECK: func.func @host(
// CHECK: gpu.launch_func @device::@twice
// CHECK: return
// CHECK-NOT: llvm.func
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @twice(%a: !llvm.ptr) kernel {
      %thread = gpu.thread_id x
      %t = arith.index_cast %thread : index to i64
      %p = llvm.getelementptr %a[%t] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %x = llvm.load %p : !llvm.ptr -> f32
      %y = arith.addf %x, %x : f32
      llvm.store %y, %p : f32, !llvm.ptr
      gpu.return
    }
  }
  func.func @host(%context: !llvm.ptr, %a: !llvm.ptr) {
    %one = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    gpu.launch_func @device::@twice blocks in (%one, %one, %one) threads in (%one, %one, %one) : i32
      dynamic_shared_memory_size %zero args(%a : !llvm.ptr)
    return
  }
}
