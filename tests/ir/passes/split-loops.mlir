// A loop whose rounds stride through memory while neighbouring threads touch neighbours is marked; one that starts elsewhere for
// each thread becomes one with a condition. A loop whose rounds are neighbours for one thread, and one that threads reach under a
// condition of their own, stay.
// RUN: fairlead-opt %s --fairlead-split-loops | FileCheck %s

// CHECK-LABEL: gpu.func @columns
// CHECK: %[[T:.*]] = arith.index_cast
// CHECK: scf.for %[[I:.*]] = %c0_i32{{.*}} to %{{.*}} step %c256_i32
// CHECK: %[[ROOM:.*]] = arith.subi
// CHECK: %[[MORE:.*]] = arith.cmpi slt, %{{.*}}, %[[ROOM]]
// CHECK: scf.if %[[MORE]]
// CHECK: arith.addi %[[I]], %[[T]]
// CHECK: } {fairlead.split}
// CHECK-LABEL: gpu.func @rows
// CHECK-NOT: fairlead.split
// CHECK-LABEL: gpu.func @apart
// CHECK-NOT: fairlead.split
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @columns(%a: !llvm.ptr, %n: i32) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
      %x = gpu.thread_id x
      %t = arith.index_cast %x : index to i32
      %step = arith.constant 256 : i32
      scf.for %j = %t to %n step %step : i32 {
        %wide = arith.extsi %j : i32 to i64
        %p = llvm.getelementptr %a[%wide] : (!llvm.ptr, i64) -> !llvm.ptr, i32
        llvm.store %step, %p : i32, !llvm.ptr
      }
      gpu.return
    }
    gpu.func @rows(%a: !llvm.ptr) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
      %x = gpu.thread_id x
      %t = arith.index_cast %x : index to i32
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %eight = arith.constant 8 : i32
      scf.for %j = %zero to %eight step %one : i32 {
        %row = arith.muli %t, %eight : i32
        %i = arith.addi %row, %j : i32
        %wide = arith.extsi %i : i32 to i64
        %p = llvm.getelementptr %a[%wide] : (!llvm.ptr, i64) -> !llvm.ptr, i32
        llvm.store %one, %p : i32, !llvm.ptr
      }
      gpu.return
    }
    gpu.func @apart(%a: !llvm.ptr, %n: i32) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
      %x = gpu.thread_id x
      %t = arith.index_cast %x : index to i32
      %step = arith.constant 256 : i32
      %some = arith.cmpi slt, %t, %n : i32
      scf.if %some {
        scf.for %j = %t to %n step %step : i32 {
          %wide = arith.extsi %j : i32 to i64
          %p = llvm.getelementptr %a[%wide] : (!llvm.ptr, i64) -> !llvm.ptr, i32
          llvm.store %step, %p : i32, !llvm.ptr
        }
      }
      gpu.return
    }
  }
}
