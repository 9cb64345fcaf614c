// A loop that only asks memory whether it may end lets the other threads of the block run: each of its rounds has a
// barrier test that never succeeds. A loop that counts its rounds ends by itself, and is left alone.
// RUN: fairlead-opt %s --fairlead-suspend-spin-loops | FileCheck %s
module attributes {gpu.container_module} {
  gpu.module @device {
    // CHECK-LABEL: @waits
    // CHECK: do {
    // CHECK: fairlead.mbarrier.test
    // CHECK-LABEL: @counts
    // CHECK-NOT: fairlead.mbarrier.test
    // CHECK: gpu.return
    gpu.func @waits(%flag: !llvm.ptr) kernel {
      %zero = arith.constant 0 : i32
      scf.while : () -> () {
        %value = llvm.load volatile %flag : !llvm.ptr -> i32
        %go_on = arith.cmpi eq, %value, %zero : i32
        scf.condition(%go_on)
      } do {
        scf.yield
      }
      gpu.return
    }
    gpu.func @counts(%flag: !llvm.ptr) kernel {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %most = arith.constant 9 : i32
      %rounds = scf.while (%round = %zero) : (i32) -> i32 {
        %value = llvm.load volatile %flag : !llvm.ptr -> i32
        %is_zero = arith.cmpi eq, %value, %zero : i32
        %is_early = arith.cmpi slt, %round, %most : i32
        %go_on = arith.andi %is_zero, %is_early : i1
        scf.condition(%go_on) %round : i32
      } do {
      ^bb0(%round: i32):
        %next = arith.addi %round, %one : i32
        scf.yield %next : i32
      }
      gpu.return
    }
  }
}
