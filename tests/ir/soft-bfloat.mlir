// Operations on BFloat16, on every processor: on Float32, rounded to the nearest, ties to even, by integers.
// RUN: fairlead-lower %s --target=cpu:x86-64-v3 --print=lowered | fairlead-llvm-opt - --passes='fairlead-expand-float16' | FileCheck %s

// CHECK-LABEL: define internal void @sum
// CHECK-NOT: fadd bfloat
// CHECK: shl i32 %{{.*}}, 16
// CHECK: fadd float
// CHECK: lshr i32 %{{.*}}, 16
// CHECK-NOT: bfloat %{{.*}} to float
// CHECK-NOT: fptrunc
// CHECK: ret void
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @sum(%a: !llvm.ptr) kernel {
      %x = llvm.load %a : !llvm.ptr -> bf16
      %p = llvm.getelementptr %a[1] : (!llvm.ptr) -> !llvm.ptr, bf16
      %y = llvm.load %p : !llvm.ptr -> bf16
      %z = arith.addf %x, %y : bf16
      llvm.store %z, %a : bf16, !llvm.ptr
      gpu.return
    }
  }
  func.func @host(%context: !llvm.ptr, %a: !llvm.ptr) {
    %one = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    gpu.launch_func @device::@sum blocks in (%one, %one, %one) threads in (%one, %one, %one) : i32
      dynamic_shared_memory_size %zero args(%a : !llvm.ptr)
    return
  }
}
