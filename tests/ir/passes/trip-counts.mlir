// A loop whose last step may pass the end of its type counts its rounds. Loops that cannot pass it stay as they are: by
// steps of 1, or with a bound far enough from the end.
// RUN: fairlead-opt %s --fairlead-trip-counts | FileCheck %s

// CHECK-LABEL: func.func @wraps
// CHECK-SAME: (%[[N:.*]]: i32, %[[OUT:.*]]: !llvm.ptr)
// CHECK: %[[SOME:.*]] = arith.cmpi sgt, %[[N]], %{{.*}} : i32
// CHECK: arith.divui
// CHECK: %[[COUNT:.*]] = arith.select %[[SOME]]
// CHECK: scf.for unsigned %{{.*}} = %{{.*}} to %[[COUNT]] step %c1_i32{{.*}} iter_args(%[[I:.*]] = %{{.*}}) -> (i32)
// CHECK: llvm.store %[[I]], %[[OUT]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[I]], %c4_i32
// CHECK: scf.yield %[[NEXT]]
func.func @wraps(%n: i32, %out: !llvm.ptr) {
  %zero = arith.constant 0 : i32
  %four = arith.constant 4 : i32
  scf.for %i = %zero to %n step %four : i32 {
    llvm.store %i, %out : i32, !llvm.ptr
  }
  return
}

// CHECK-LABEL: func.func @single_steps
// CHECK-NOT: arith.divui
// CHECK: scf.for %{{.*}} = %{{.*}} to %arg0 step %c1_i32
func.func @single_steps(%n: i32, %out: !llvm.ptr) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one : i32 {
    llvm.store %i, %out : i32, !llvm.ptr
  }
  return
}

// 125 + 3 is more than an i8 holds, 124 + 3 is not: the loops end at 126 and 125.
// CHECK-LABEL: func.func @ends
// CHECK: scf.for unsigned
// CHECK: scf.for %{{.*}} = %{{.*}} to %c125_i8 step %c3_i8
func.func @ends(%out: !llvm.ptr) {
  %zero = arith.constant 0 : i8
  %three = arith.constant 3 : i8
  %far = arith.constant 126 : i8
  %near = arith.constant 125 : i8
  scf.for %i = %zero to %far step %three : i8 {
    llvm.store %i, %out : i8, !llvm.ptr
  }
  scf.for %i = %zero to %near step %three : i8 {
    llvm.store %i, %out : i8, !llvm.ptr
  }
  return
}
