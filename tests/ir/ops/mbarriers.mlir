// Operations on mbarriers, and a fence: each form is printed as it is written.
// RUN: fairlead-opt %s | fairlead-opt | FileCheck %s

// CHECK-LABEL: func.func @own
func.func @own(%bar: !llvm.ptr<3>, %n: i32) -> i1 {
  // CHECK: fairlead.mbarrier.init %arg0, %arg1 : !llvm.ptr<3>
  fairlead.mbarrier.init %bar, %n : !llvm.ptr<3>
  // CHECK: fairlead.mbarrier.arrive %arg0, %arg1 : !llvm.ptr<3>
  fairlead.mbarrier.arrive %bar, %n : !llvm.ptr<3>
  // CHECK: fairlead.mbarrier.arrive %arg0, %arg1 after_reading : !llvm.ptr<3>
  fairlead.mbarrier.arrive %bar, %n after_reading : !llvm.ptr<3>
  // CHECK: fairlead.mbarrier.arrive_expect %arg0, %arg1 : !llvm.ptr<3>
  fairlead.mbarrier.arrive_expect %bar, %n : !llvm.ptr<3>
  // CHECK: fairlead.mbarrier.expect %arg0, %arg1 : !llvm.ptr<3>
  fairlead.mbarrier.expect %bar, %n : !llvm.ptr<3>
  // CHECK: fairlead.mbarrier.arrive_after_copies %arg0 : !llvm.ptr<3>
  fairlead.mbarrier.arrive_after_copies %bar : !llvm.ptr<3>
  // CHECK: fairlead.mbarrier.wait %arg0, %arg1 : !llvm.ptr<3>
  fairlead.mbarrier.wait %bar, %n : !llvm.ptr<3>
  // CHECK: fairlead.mbarrier.test %arg0, %arg1 : !llvm.ptr<3>
  %now = fairlead.mbarrier.test %bar, %n : !llvm.ptr<3>
  // CHECK: fairlead.mbarrier.test %arg0, %arg1 may_suspend : !llvm.ptr<3>
  %soon = fairlead.mbarrier.test %bar, %n may_suspend : !llvm.ptr<3>
  return %soon : i1
}

// CHECK-LABEL: func.func @of_block
func.func @of_block(%bar: !llvm.ptr<3>, %n: i32, %block: i32, %x: f64, %to: !llvm.ptr<7>) {
  // CHECK: fairlead.mbarrier.arrive %arg0, %arg1 of %arg2 after_reading : !llvm.ptr<3>
  fairlead.mbarrier.arrive %bar, %n of %block after_reading : !llvm.ptr<3>
  // CHECK: fairlead.mbarrier.arrive_expect %arg0, %arg1 of %arg2 : !llvm.ptr<3>
  fairlead.mbarrier.arrive_expect %bar, %n of %block : !llvm.ptr<3>
  // CHECK: fairlead.mbarrier.expect %arg0, %arg1 of %arg2 : !llvm.ptr<3>
  fairlead.mbarrier.expect %bar, %n of %block : !llvm.ptr<3>
  // CHECK: fairlead.store_async %arg3, %arg4, %arg0 of %arg2 : f64, !llvm.ptr<7>, !llvm.ptr<3>
  fairlead.store_async %x, %to, %bar of %block : f64, !llvm.ptr<7>, !llvm.ptr<3>
  // CHECK: fairlead.cluster_fence{{$}}
  fairlead.cluster_fence
  return
}
