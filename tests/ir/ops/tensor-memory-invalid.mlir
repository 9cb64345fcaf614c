// RUN: fairlead-opt %s -split-input-file -verify-diagnostics

func.func @alloc_elsewhere(%to: !llvm.ptr<7>, %n: i32) {
  // expected-error@+1 {{operand #0 must be an address in this block's shared memory, but got '!llvm.ptr<7>'}}
  fairlead.tcgen05.alloc %n to %to : !llvm.ptr<7>
  return
}

// -----

func.func @dealloc_shared(%at: !llvm.ptr<3>, %n: i32) {
  // expected-error@+1 {{operand #0 must be an address in tensor memory, but got '!llvm.ptr<3>'}}
  fairlead.tcgen05.dealloc %n at %at : !llvm.ptr<3>
  return
}

// -----

func.func @load_shape(%at: !llvm.ptr<6>) {
  // expected-error@+1 {{has the shape 32 x 32, 16 x 32, 16 x 64, 16 x 128 or 16 x 256, not 32 x 64}}
  %0:2 = fairlead.tcgen05.ld %at shape 32 x 64 : !llvm.ptr<6> -> i32, i32
  return
}

// -----

func.func @load_registers(%at: !llvm.ptr<6>) {
  // expected-error@+1 {{moves a power of two of registers from 4 to 128, not 2}}
  %0:2 = fairlead.tcgen05.ld %at shape 16 x 256 : !llvm.ptr<6> -> i32, i32
  return
}

// -----

func.func @store_shape(%at: !llvm.ptr<6>, %r: i32) {
  // expected-error@+1 {{has the shape 32 x 32, 16 x 32, 16 x 64, 16 x 128 or 16 x 256, not 8 x 32}}
  fairlead.tcgen05.st %r to %at shape 8 x 32 : !llvm.ptr<6>
  return
}

// -----

func.func @store_registers(%at: !llvm.ptr<6>, %r: i32) {
  // expected-error@+1 {{moves a power of two of registers from 1 to 128, not 3}}
  fairlead.tcgen05.st %r, %r, %r to %at shape 32 x 32 : !llvm.ptr<6>
  return
}

// -----

func.func @types(%d: !llvm.ptr<6>, %a: i64, %added: i1) {
  // expected-error@+1 {{multiplies f16, bf16 or tf32 by the same type, and floats of 4, 6 and 8 bits or integers of 8 bits by each other, not f16 and bf16}}
  fairlead.tcgen05.mma 128 x 64 f32(%d) = f16(%a : i64) * bf16(%a) add %added : !llvm.ptr<6>
  return
}

// -----

func.func @sums_of_bfloats(%d: !llvm.ptr<6>, %a: i64, %added: i1) {
  // expected-error@+1 {{adds up s32 of integers, f32 of floats, and f16 of f16 and floats of 8 bits, not f16 of bf16}}
  fairlead.tcgen05.mma 128 x 64 f16(%d) = bf16(%a : i64) * bf16(%a) add %added : !llvm.ptr<6>
  return
}

// -----

func.func @sums_of_integers(%d: !llvm.ptr<6>, %a: i64, %added: i1) {
  // expected-error@+1 {{adds up s32 of integers, f32 of floats, and f16 of f16 and floats of 8 bits, not f32 of s8}}
  fairlead.tcgen05.mma 128 x 64 f32(%d) = s8(%a : i64) * u8(%a) add %added : !llvm.ptr<6>
  return
}

// -----

func.func @rows(%d: !llvm.ptr<6>, %a: i64, %added: i1) {
  // expected-error@+1 {{has an extent M of 64 or 128 for group one, not 256}}
  fairlead.tcgen05.mma 256 x 64 f32(%d) = f16(%a : i64) * f16(%a) add %added : !llvm.ptr<6>
  return
}

// -----

func.func @rows_of_two(%d: !llvm.ptr<6>, %a: i64, %added: i1) {
  // expected-error@+1 {{has an extent M of 128 or 256 for group two, not 64}}
  fairlead.tcgen05.mma 64 x 64 f32(%d) = f16(%a : i64) * f16(%a) add %added group two : !llvm.ptr<6>
  return
}

// -----

func.func @columns(%d: !llvm.ptr<6>, %a: i64, %added: i1) {
  // expected-error@+1 {{has an extent N of 8 to 256, a multiple of 8 for its types and group, not 260}}
  fairlead.tcgen05.mma 128 x 260 f32(%d) = f16(%a : i64) * f16(%a) add %added : !llvm.ptr<6>
  return
}

// -----

func.func @columns_of_integers(%d: !llvm.ptr<6>, %a: i64, %added: i1) {
  // expected-error@+1 {{has an extent N of 16 to 256, a multiple of 16 for its types and group, not 40}}
  fairlead.tcgen05.mma 128 x 40 s32(%d) = s8(%a : i64) * s8(%a) add %added : !llvm.ptr<6>
  return
}

// -----

func.func @columns_of_transposed_bytes(%d: !llvm.ptr<6>, %a: i64, %added: i1) {
  // expected-error@+1 {{has an extent N of 32 to 256, a multiple of 32 for its types and group, not 48}}
  fairlead.tcgen05.mma 256 x 48 f32(%d) = e4m3(%a : i64) * e4m3 transposed(%a) add %added group two : !llvm.ptr<6>
  return
}

// -----

func.func @transposed_in_tensor_memory(%d: !llvm.ptr<6>, %b: i64, %added: i1) {
  // expected-error@+1 {{transposes A in shared memory, not in tensor memory}}
  fairlead.tcgen05.mma 128 x 64 f32(%d) = f16 transposed(%d : !llvm.ptr<6>) * f16(%b) add %added : !llvm.ptr<6>
  return
}

// -----

func.func @extreme_of_one(%at: !llvm.ptr<6>) {
  // expected-error@+1 {{compares two registers or more}}
  %m:2 = fairlead.tcgen05.ld.red min %at : !llvm.ptr<6> -> i32
  return
}

// -----

func.func @extreme_of_three(%at: !llvm.ptr<6>) {
  // expected-error@+1 {{moves a power of two of registers from 1 to 128, not 3}}
  %m:4 = fairlead.tcgen05.ld.red min %at : !llvm.ptr<6> -> i32, i32, i32
  return
}

// -----

func.func @commit_in_tensor_memory(%barrier: !llvm.ptr<6>) {
  // expected-error@+1 {{operand #0 must be an address in shared memory, but got '!llvm.ptr<6>'}}
  fairlead.tcgen05.commit %barrier : !llvm.ptr<6>
  return
}

// -----

func.func @fence_side() {
  // expected-error@+2 {{expected ::fairlead::ir::FenceSide to be one of: before, after}}
  // expected-error@+2 {{failed to parse FenceSideAttr parameter}}
  fairlead.tcgen05.fence around
  return
}

// -----

func.func @relinquish_address(%at: !llvm.ptr<6>) {
  // expected-error@+1 {{requires zero operands}}
  "fairlead.tcgen05.relinquish_alloc_permit"(%at) : (!llvm.ptr<6>) -> ()
  return
}

// -----

func.func @wait_access() {
  // expected-error@+2 {{expected ::fairlead::ir::TensorMemoryAccess to be one of}}
  // expected-error@+2 {{failed to parse TensorMemoryAccessAttr parameter}}
  fairlead.tcgen05.wait copies
  return
}
