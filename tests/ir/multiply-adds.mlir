// A sum or difference with a product in it is one operation, unless the product has other uses; of halves it stays two.
// What no kernel does is left alone.

// RUN: fairlead-lower %s --target=cpu --print=llvm --opt-level=0 | FileCheck %s --check-prefixes=LLVM
// RUN: fairlead-lower %s --target=cuda:sm_90a --print=ptx | FileCheck %s --check-prefixes=PTX
// RUN: fairlead-lower %s --target=cuda:sm_90a --print=ptx --fmad=0 | FileCheck %s --check-prefixes=APART

// LLVM-LABEL: define internal void @products
// LLVM: call float @llvm.fma.f32
// LLVM: %[[PRODUCT:.*]] = fmul float
// LLVM: fsub float %[[PRODUCT]]
// LLVM: %[[MINUS:.*]] = fneg double
// LLVM: call double @llvm.fma.f64(double %[[MINUS]]
// LLVM: fmul half
// LLVM: fadd half

// PTX: fma.rn.f32
// PTX: mul.rn.f32
// PTX: sub.rn.f32
// PTX: fma.rn.f64
// PTX: mul.rn.f16
// PTX: add.rn.f16

// APART-NOT: fma.rn
// APART: sub.rn.f64
// APART-NOT: fma.rn

module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @products(%p: !llvm.ptr, %a: f32, %b: f32, %c: f32, %d: f64, %h: f16) kernel {
      %0 = arith.mulf %a, %b : f32
      %1 = arith.addf %c, %0 : f32
      llvm.store volatile %1, %p : f32, !llvm.ptr
      %2 = arith.mulf %a, %c : f32
      %3 = arith.subf %2, %b : f32
      llvm.store volatile %2, %p : f32, !llvm.ptr
      llvm.store volatile %3, %p : f32, !llvm.ptr
      %4 = arith.mulf %d, %d : f64
      %5 = arith.subf %d, %4 : f64
      llvm.store volatile %5, %p : f64, !llvm.ptr
      %6 = arith.mulf %h, %h : f16
      %7 = arith.addf %6, %h : f16
      llvm.store volatile %7, %p : f16, !llvm.ptr
      gpu.return
    }
  }
  func.func @host(%context: !llvm.ptr, %p: !llvm.ptr, %a: f32, %b: f32, %c: f32, %d: f64, %h: f16) {
    %one = arith.constant 1 : i32
    %shared = arith.constant 0 : i32
    gpu.launch_func @device::@products blocks in (%one, %one, %one) threads in (%one, %one, %one) : i32
      dynamic_shared_memory_size %shared
      args(%p : !llvm.ptr, %a : f32, %b : f32, %c : f32, %d : f64, %h : f16)
    return
  }
}
