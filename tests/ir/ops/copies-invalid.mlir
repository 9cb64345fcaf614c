// RUN: fairlead-opt %s -split-input-file -verify-diagnostics

func.func @load_of_a_point(%map: !llvm.ptr, %tile: !llvm.ptr<3>) {
  // expected-error@+1 {{takes 1 to 5 coordinates, not 0}}
  fairlead.tensor_load %map[] to %tile at %tile : !llvm.ptr, !llvm.ptr<3>, !llvm.ptr<3>
  return
}

// -----

func.func @load_to_global(%map: !llvm.ptr, %tile: !llvm.ptr<3>, %x: i32) {
  // expected-error@+1 {{operand #1 must be an address in shared memory, but got '!llvm.ptr'}}
  fairlead.tensor_load %map[%x] to %map at %tile : !llvm.ptr, !llvm.ptr, !llvm.ptr<3>
  return
}

// -----

func.func @store(%map: !llvm.ptr, %tile: !llvm.ptr<3>, %x: i32) {
  // expected-error@+1 {{takes 1 to 5 coordinates, not 6}}
  fairlead.tensor_store %tile to %map[%x, %x, %x, %x, %x, %x] : !llvm.ptr<3>, !llvm.ptr
  return
}

// -----

func.func @reduce(%map: !llvm.ptr, %tile: !llvm.ptr<3>) {
  // expected-error@+1 {{takes 1 to 5 coordinates, not 0}}
  fairlead.tensor_reduce min %tile to %map[] : !llvm.ptr<3>, !llvm.ptr
  return
}

// -----

func.func @reduce_by(%map: !llvm.ptr, %tile: !llvm.ptr<3>, %x: i32) {
  // expected-error@+2 {{expected ::fairlead::ir::ReduceKind to be one of: add, min, max, inc, dec, and, or, xor}}
  // expected-error@+1 {{failed to parse ReduceKindAttr}}
  fairlead.tensor_reduce mul %tile to %map[%x] : !llvm.ptr<3>, !llvm.ptr
  return
}

// -----

func.func @prefetch(%map: !llvm.ptr) {
  // expected-error@+1 {{takes 1 to 5 coordinates, not 0}}
  fairlead.tensor_prefetch %map[] : !llvm.ptr
  return
}

// -----

func.func @bulk_load(%tile: !llvm.ptr<3>, %n: i32) {
  // expected-error@+1 {{operand #1 must be an address in global memory, but got '!llvm.ptr<3>'}}
  fairlead.bulk_load %tile, %n to %tile at %tile : !llvm.ptr<3>, !llvm.ptr<3>, !llvm.ptr<3>
  return
}

// -----

func.func @bulk_store(%tile: !llvm.ptr<3>, %n: i32) {
  // expected-error@+1 {{operand #0 must be an address in global memory, but got '!llvm.ptr<3>'}}
  fairlead.bulk_store %tile, %n to %tile : !llvm.ptr<3>, !llvm.ptr<3>
  return
}

// -----

func.func @bulk_copy_to_block(%a: !llvm.ptr, %tile: !llvm.ptr<3>, %n: i32) {
  // expected-error@+1 {{operand #1 must be an address in shared memory, but got '!llvm.ptr'}}
  fairlead.bulk_copy_to_block %a, %n to %tile at %tile : !llvm.ptr, !llvm.ptr<3>, !llvm.ptr<3>
  return
}
