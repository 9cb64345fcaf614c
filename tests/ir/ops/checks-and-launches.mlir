// What checks are told, and a launch that asks for more than a stream: each form is printed as it is written.
// RUN: fairlead-opt %s | fairlead-opt | FileCheck %s

// CHECK-LABEL: func.func @checked
func.func @checked(%a: !llvm.ptr<3>, %i: i64, %n: i64) -> !llvm.ptr<3> {
  // CHECK: fairlead.tensor %arg0 has [4, 1] of 32 bits "Float32 (4):(1)" : <3>
  fairlead.tensor %a has [4, 1] of 32 bits "Float32 (4):(1)" : <3>
  // CHECK: fairlead.index %arg0[] of "Float32 (4):(1)" in global modes [] whole : <3>
  %whole = fairlead.index %a[] of "Float32 (4):(1)" in global modes [] whole : <3>
  // CHECK: fairlead.index %{{.*}}[%arg1, %arg2] of "Float32 (4):(1)" in shared modes [1] : <3>
  %b = fairlead.index %whole[%i, %n] of "Float32 (4):(1)" in shared modes [1] : <3>
  return %b : !llvm.ptr<3>
}

// CHECK-LABEL: func.func @guarded
func.func @guarded(%a: !llvm.ptr, %i: i64, %n: i64, %t: i32) {
  // CHECK: fairlead.tensor %arg0 has [%arg2, 1] of 32 bits "a" gaps : !llvm.ptr
  fairlead.tensor %a has [%n, 1] of 32 bits "a" gaps : !llvm.ptr
  // CHECK: fairlead.guard %arg2 bytes at %arg1 in %arg1 to %arg2 of %arg0 : !llvm.ptr thread %arg3 site @place
  fairlead.guard %n bytes at %i in %i to %n of %a : !llvm.ptr thread %t site @place
  // CHECK: fairlead.guard %arg2 bytes at %arg1 in %arg1 to %arg2 of %arg0 : !llvm.ptr thread %arg3 site @place reads %arg0 : !llvm.ptr as !llvm.ptr
  %r = fairlead.guard %n bytes at %i in %i to %n of %a : !llvm.ptr thread %t site @place reads %a : !llvm.ptr as !llvm.ptr
  return
}

// CHECK-LABEL: func.func @covered
func.func @covered() {
  // CHECK: fairlead.cover enter line 3 frame 1 of "k.py"
  fairlead.cover enter line 3 frame 1 of "k.py"
  // CHECK: fairlead.cover loop_end line 5 frame 1 of "k.py"
  fairlead.cover loop_end line 5 frame 1 of "k.py"
  return
}

// CHECK-LABEL: func.func @launched
func.func @launched(%event: !llvm.ptr, %n: i32) {
  // CHECK: fairlead.launch_extras cluster(%arg1, %arg1, %arg1) completion %arg0 flags 1 programmatic %arg0 flags 0 carveout -1 : !llvm.ptr, !llvm.ptr -> !llvm.ptr
  %0 = fairlead.launch_extras cluster(%n, %n, %n) completion %event flags 1 programmatic %event flags 0 carveout -1 : !llvm.ptr, !llvm.ptr -> !llvm.ptr
  // CHECK: fairlead.launch_extras stream %arg0 : !llvm.ptr cluster(%arg1, %arg1, %arg1) completion %arg0 flags 0 programmatic %arg0 flags 2 at_start carveout 50
  %1 = fairlead.launch_extras stream %event : !llvm.ptr cluster(%n, %n, %n) completion %event flags 0 programmatic %event flags 2 at_start carveout 50 : !llvm.ptr, !llvm.ptr -> !llvm.ptr
  return
}
