// Operations of cluster launch control: each form is printed as it is written.
// RUN: fairlead-opt %s | fairlead-opt | FileCheck %s

// CHECK-LABEL: func.func @takes_over
func.func @takes_over(%to: !llvm.ptr<3>, %bar: !llvm.ptr<3>, %words: vector<4xi32>) -> i1 {
  // CHECK: fairlead.try_cancel %arg0 at %arg1 : !llvm.ptr<3>, !llvm.ptr<3>
  fairlead.try_cancel %to at %bar : !llvm.ptr<3>, !llvm.ptr<3>
  // CHECK: fairlead.try_cancel %arg0 at %arg1 multicast : !llvm.ptr<3>, !llvm.ptr<3>
  fairlead.try_cancel %to at %bar multicast : !llvm.ptr<3>, !llvm.ptr<3>
  // CHECK: %{{.*}}, %{{.*}}, %{{.*}}, %[[IS:.*]] = fairlead.query_cancel %arg2 : vector<4xi32>
  %x, %y, %z, %is = fairlead.query_cancel %words : vector<4xi32>
  return %is : i1
}
