// A loop inside a thread whose rounds stride through memory, while threads next to each other touch elements next to each
// other: all threads go through it round by round, in a loop over the threads that ends with the row. What they carry from
// round to round lies in an array.
// RUN: fairlead-lower %s --target=cpu --print=mlir | FileCheck %s
// RUN: fairlead-lower %s --target=cpu --print=llvm | FileCheck %s --check-prefix=LLVM

// CHECK-LABEL: llvm.func internal @largest(
// CHECK: %[[KEPT:.*]] = llvm.alloca
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %c256_i32
// CHECK: %[[END:.*]] = arith.trunci
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[END]] step
// CHECK-NOT: scf.if
// CHECK: arith.maximumf
// CHECK: llvm.store {{.*}} {access_groups
// LLVM: call <{{[0-9]+}} x float> @llvm.maximum

// A thread whose own rounds are next to each other keeps its loop.
// CHECK-LABEL: llvm.func internal @own(
// CHECK: ^bb
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: llvm.return
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @largest(%a: !llvm.ptr, %n: i32, %out: !llvm.ptr) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
      %x = gpu.thread_id x
      %t = arith.index_cast %x : index to i32
      %c256 = arith.constant 256 : i32
      %low = arith.constant -1.0 : f32
      %most = scf.for %j = %t to %n step %c256 iter_args(%m = %low) -> (f32) : i32 {
        %j64 = arith.extsi %j : i32 to i64
        %p = llvm.getelementptr %a[%j64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %v = llvm.load %p : !llvm.ptr -> f32
        %next = arith.maximumf %m, %v : f32
        scf.yield %next : f32
      }
      %t64 = arith.extsi %t : i32 to i64
      %q = llvm.getelementptr %out[%t64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      llvm.store %most, %q : f32, !llvm.ptr
      gpu.return
    }
    gpu.func @own(%a: !llvm.ptr) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
      %x = gpu.thread_id x
      %t = arith.index_cast %x : index to i32
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c8 = arith.constant 8 : i32
      %one = arith.constant 1.0 : f32
      scf.for %j = %c0 to %c8 step %c1 : i32 {
        %row = arith.muli %t, %c8 : i32
        %i = arith.addi %row, %j : i32
        %i64 = arith.extsi %i : i32 to i64
        %p = llvm.getelementptr %a[%i64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        llvm.store %one, %p : f32, !llvm.ptr
      }
      gpu.return
    }
  }
  func.func @host(%ctx: !llvm.ptr, %a: !llvm.ptr, %n: i32) {
    %one = arith.constant 1 : i32
    %threads = arith.constant 256 : i32
    gpu.launch_func @device::@largest blocks in (%one, %one, %one) threads in (%threads, %one, %one) : i32 args(%a : !llvm.ptr, %n : i32, %a : !llvm.ptr)
    gpu.launch_func @device::@own blocks in (%one, %one, %one) threads in (%threads, %one, %one) : i32 args(%a : !llvm.ptr)
    return
  }
}
