// Tensor maps, made in host programs and changed in kernels: each form is printed as it is written.
// RUN: fairlead-opt %s | fairlead-opt | FileCheck %s

// CHECK-LABEL: func.func @make
func.func @make(%a: !llvm.ptr, %m: i64, %n: i64, %step: i64) -> !llvm.ptr {
  // CHECK: fairlead.tensor_map %arg0[%arg1, %arg2] strides[%arg3] box [64, 128] type 6 bytes 2 swizzle 3 : !llvm.ptr -> !llvm.ptr
  %map = fairlead.tensor_map %a[%m, %n] strides[%step] box [64, 128] type 6 bytes 2 swizzle 3 : !llvm.ptr -> !llvm.ptr
  return %map : !llvm.ptr
}

// CHECK-LABEL: func.func @change
func.func @change(%map: !llvm.ptr, %copy: !llvm.ptr<3>, %x: i64) {
  // CHECK: fairlead.map_replace address in %arg1, %arg2 : !llvm.ptr<3>
  fairlead.map_replace address in %copy, %x : !llvm.ptr<3>
  // CHECK: fairlead.map_replace extent in %arg1, %arg2 : !llvm.ptr<3>
  fairlead.map_replace extent in %copy, %x : !llvm.ptr<3>
  // CHECK: fairlead.map_replace stride of 4 in %arg0, %arg2 : !llvm.ptr
  fairlead.map_replace stride of 4 in %map, %x : !llvm.ptr
  // CHECK: fairlead.map_publish %arg1 to %arg0 : <3>, !llvm.ptr
  fairlead.map_publish %copy to %map : <3>, !llvm.ptr
  // CHECK: fairlead.map_acquire %arg0 : !llvm.ptr
  fairlead.map_acquire %map : !llvm.ptr
  // CHECK: fairlead.map_prefetch %arg0 : !llvm.ptr
  fairlead.map_prefetch %map : !llvm.ptr
  return
}
