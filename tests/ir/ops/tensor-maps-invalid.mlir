// RUN: fairlead-opt %s -split-input-file -verify-diagnostics

func.func @rank(%a: !llvm.ptr) {
  // expected-error@+1 {{has a box of 1 to 5 dimensions, not 0}}
  %map = fairlead.tensor_map %a[] strides[] box [] type 6 bytes 2 swizzle 3 : !llvm.ptr -> !llvm.ptr
  return
}

// -----

func.func @strides(%a: !llvm.ptr, %n: i64) {
  // expected-error@+1 {{takes 2 extents and 1 strides, not 2 and 2}}
  %map = fairlead.tensor_map %a[%n, %n] strides[%n, %n] box [8, 8] type 6 bytes 2 swizzle 3 : !llvm.ptr -> !llvm.ptr
  return
}

// -----

func.func @box(%a: !llvm.ptr, %n: i64) {
  // expected-error@+1 {{has a box of 1 to 256 elements along each dimension, not 512}}
  %map = fairlead.tensor_map %a[%n] strides[] box [512] type 6 bytes 2 swizzle 3 : !llvm.ptr -> !llvm.ptr
  return
}

// -----

func.func @swizzle(%a: !llvm.ptr, %n: i64) {
  // expected-error@+1 {{has a swizzle of 0 to 4, not 5}}
  %map = fairlead.tensor_map %a[%n] strides[] box [8] type 6 bytes 2 swizzle 5 : !llvm.ptr -> !llvm.ptr
  return
}

// -----

func.func @stride_of_the_first(%map: !llvm.ptr, %x: i64) {
  // expected-error@+1 {{replaces the stride of dimensions 1 to 4, not 0}}
  fairlead.map_replace stride in %map, %x : !llvm.ptr
  return
}

// -----

func.func @address_of_a_dimension(%map: !llvm.ptr, %x: i64) {
  // expected-error@+1 {{replaces the address of dimensions 0 to 0, not 1}}
  fairlead.map_replace address of 1 in %map, %x : !llvm.ptr
  return
}

// -----

func.func @extent(%map: !llvm.ptr, %x: i64) {
  // expected-error@+1 {{replaces the extent of dimensions 0 to 4, not 5}}
  fairlead.map_replace extent of 5 in %map, %x : !llvm.ptr
  return
}

// -----

func.func @map_in_another_block(%map: !llvm.ptr<7>, %x: i64) {
  // expected-error@+1 {{operand #0 must be an address of a tensor map in global or shared memory, but got '!llvm.ptr<7>'}}
  fairlead.map_replace address in %map, %x : !llvm.ptr<7>
  return
}

// -----

func.func @publish(%map: !llvm.ptr) {
  // expected-error@+1 {{operand #1 must be LLVM pointer in address space 3, but got '!llvm.ptr'}}
  fairlead.map_publish %map to %map : !llvm.ptr, !llvm.ptr
  return
}

// -----

func.func @acquire(%map: !llvm.ptr<3>) {
  // expected-error@+1 {{operand #0 must be an address in global memory, but got '!llvm.ptr<3>'}}
  fairlead.map_acquire %map : !llvm.ptr<3>
  return
}

// -----

func.func @prefetch(%map: !llvm.ptr<3>) {
  // expected-error@+1 {{operand #0 must be an address in global memory, but got '!llvm.ptr<3>'}}
  fairlead.map_prefetch %map : !llvm.ptr<3>
  return
}
