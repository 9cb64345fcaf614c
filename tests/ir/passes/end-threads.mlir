// Threads that exit skip the rest of the kernel. In a loop the exit stays, as PTX without a form for the CPU.
// RUN: fairlead-opt %s --fairlead-end-threads | FileCheck %s
module attributes {gpu.container_module} {
  gpu.module @device {
    // CHECK-LABEL: @in_body
    // CHECK: llvm.store %{{.*}}, %arg0
    // CHECK-NEXT: gpu.return
    gpu.func @in_body(%to: !llvm.ptr) kernel {
      %one = arith.constant 1 : i32
      %two = arith.constant 2 : i32
      llvm.store %one, %to : i32, !llvm.ptr
      llvm.inline_asm has_side_effects "exit;", "" : () -> ()
      llvm.store %two, %to : i32, !llvm.ptr
      gpu.return
    }
    // The second exit is in what the first one's branch skips.
    // CHECK-LABEL: @in_branches
    // CHECK-NOT: exit
    // CHECK: scf.if %arg1 {
    // CHECK-NEXT: } else {
    // CHECK-NEXT: llvm.store %[[ONE:.*]], %arg0
    // CHECK-NEXT: scf.if %arg2 {
    // CHECK-NEXT: llvm.store %[[TWO:.*]], %arg0
    // CHECK-NEXT: } else {
    // CHECK-NEXT: }
    // CHECK-NEXT: }
    // CHECK-NEXT: gpu.return
    gpu.func @in_branches(%to: !llvm.ptr, %first: i1, %second: i1) kernel {
      %one = arith.constant 1 : i32
      %two = arith.constant 2 : i32
      scf.if %first {
        llvm.inline_asm has_side_effects "exit;", "" : () -> ()
        llvm.store %two, %to : i32, !llvm.ptr
      }
      llvm.store %one, %to : i32, !llvm.ptr
      scf.if %second {
      } else {
        llvm.inline_asm has_side_effects "exit;", "" : () -> ()
      }
      llvm.store %two, %to : i32, !llvm.ptr
      gpu.return
    }
    // CHECK-LABEL: @in_loop
    // CHECK: exit
    gpu.func @in_loop(%start: index, %end: index, %step: index) kernel {
      scf.for %i = %start to %end step %step {
        llvm.inline_asm has_side_effects "exit;", "" : () -> ()
      }
      gpu.return
    }
  }
}
