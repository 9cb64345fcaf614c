// Copies of boxes and of bytes: each form is printed as it is written.
// RUN: fairlead-opt %s | fairlead-opt | FileCheck %s

// CHECK-LABEL: func.func @boxes
func.func @boxes(%map: !llvm.ptr, %tile: !llvm.ptr<3>, %bar: !llvm.ptr<3>, %x: i32, %blocks: i16, %policy: i64) {
  // CHECK: fairlead.tensor_load %arg0[%arg3, %arg3] to %arg1 at %arg2 : !llvm.ptr, !llvm.ptr<3>, !llvm.ptr<3>
  fairlead.tensor_load %map[%x, %x] to %tile at %bar : !llvm.ptr, !llvm.ptr<3>, !llvm.ptr<3>
  // CHECK: fairlead.tensor_load %arg0[%arg3] to %arg1 at %arg2 blocks %arg4 policy %arg5 : !llvm.ptr, !llvm.ptr<3>, !llvm.ptr<3>
  fairlead.tensor_load %map[%x] to %tile at %bar blocks %blocks policy %policy : !llvm.ptr, !llvm.ptr<3>, !llvm.ptr<3>
  // CHECK: fairlead.tensor_load %arg0[%arg3] to %arg1 at %arg2 of_pair blocks %arg4 : !llvm.ptr, !llvm.ptr<3>, !llvm.ptr<3>
  fairlead.tensor_load %map[%x] to %tile at %bar of_pair blocks %blocks : !llvm.ptr, !llvm.ptr<3>, !llvm.ptr<3>
  // CHECK: fairlead.tensor_store %arg1 to %arg0[%arg3, %arg3, %arg3] policy %arg5 : !llvm.ptr<3>, !llvm.ptr
  fairlead.tensor_store %tile to %map[%x, %x, %x] policy %policy : !llvm.ptr<3>, !llvm.ptr
  // CHECK: fairlead.tensor_reduce add %arg1 to %arg0[%arg3] {fairlead.chosen_thread} : !llvm.ptr<3>, !llvm.ptr
  fairlead.tensor_reduce add %tile to %map[%x] {fairlead.chosen_thread} : !llvm.ptr<3>, !llvm.ptr
  // CHECK: fairlead.tensor_reduce xor
  fairlead.tensor_reduce xor %tile to %map[%x] : !llvm.ptr<3>, !llvm.ptr
  // CHECK: fairlead.tensor_prefetch %arg0[%arg3] policy %arg5 : !llvm.ptr
  fairlead.tensor_prefetch %map[%x] policy %policy : !llvm.ptr
  return
}

// CHECK-LABEL: func.func @bytes
func.func @bytes(%a: !llvm.ptr<1>, %tile: !llvm.ptr<3>, %there: !llvm.ptr<7>, %n: i32, %blocks: i16, %policy: i64) {
  // CHECK: fairlead.bulk_load %arg0, %arg3 to %arg1 at %arg1 : !llvm.ptr<1>, !llvm.ptr<3>, !llvm.ptr<3>
  fairlead.bulk_load %a, %n to %tile at %tile : !llvm.ptr<1>, !llvm.ptr<3>, !llvm.ptr<3>
  // CHECK: fairlead.bulk_load %arg0, %arg3 to %arg1 at %arg1 blocks %arg4 policy %arg5
  fairlead.bulk_load %a, %n to %tile at %tile blocks %blocks policy %policy : !llvm.ptr<1>, !llvm.ptr<3>, !llvm.ptr<3>
  // CHECK: fairlead.bulk_store %arg1, %arg3 to %arg0 policy %arg5 : !llvm.ptr<3>, !llvm.ptr<1>
  fairlead.bulk_store %tile, %n to %a policy %policy : !llvm.ptr<3>, !llvm.ptr<1>
  // CHECK: fairlead.bulk_copy_to_block %arg1, %arg3 to %arg2 at %arg2 : !llvm.ptr<3>, !llvm.ptr<7>, !llvm.ptr<7>
  fairlead.bulk_copy_to_block %tile, %n to %there at %there : !llvm.ptr<3>, !llvm.ptr<7>, !llvm.ptr<7>
  return
}
