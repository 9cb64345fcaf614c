// RUN: fairlead-opt %s -split-input-file -verify-diagnostics

func.func @no_result(%a: i32) {
  // expected-error@+1 {{has a register or more of D}}
  fairlead.mma "m16n8k16"(%a, %a, %a) : (i32, i32, i32) -> ()
  return
}

// -----

func.func @too_few(%a: i32, %c: f32) {
  // expected-error@+1 {{takes registers of A, B and C, of which C has 2, not 3 in all}}
  %d:2 = fairlead.mma "m16n8k16"(%a, %c, %c) : (i32, f32, f32) -> (f32, f32)
  return
}

// -----

func.func @types(%a: i32) {
  // expected-error@+1 {{takes registers of C of D's type, 'f32', not 'i32'}}
  %d = fairlead.mma "m16n8k16"(%a, %a, %a) : (i32, i32, i32) -> f32
  return
}

// -----

func.func @register(%a: i16) {
  // expected-error@+1 {{operand #0 must be variadic of a register (i32, f32 or f64), but got 'i16'}}
  %d = fairlead.mma "m16n8k16"(%a, %a, %a) : (i16, i16, i16) -> i32
  return
}

// -----

func.func @load_three(%row: i64) {
  // expected-error@+1 {{moves 1, 2 or 4 matrices, a register each, not 3}}
  %x:3 = fairlead.load_matrix %row : i32, i32, i32
  return
}

// -----

func.func @store_none(%row: i64) {
  // expected-error@+1 {{moves 1, 2 or 4 matrices, a register each, not 0}}
  "fairlead.store_matrix"(%row) : (i64) -> ()
  return
}

// -----

func.func @extent(%c: f32, %a: i64, %added: i1) {
  // expected-error@+1 {{has an extent N of 8 to 256, a multiple of 8, not 12}}
  %0:6 = fairlead.warpgroup_mma 12 f32 = f16(%a : i64) * f16(%a) add %added to (%c, %c, %c, %c, %c, %c) : (f32, f32, f32, f32, f32, f32) -> (f32, f32, f32, f32, f32, f32)
  return
}

// -----

func.func @widths(%c: f32, %a: i64, %added: i1) {
  // expected-error@+1 {{multiplies elements of one width, all integers or none, not f16 and e4m3}}
  %0:4 = fairlead.warpgroup_mma 8 f32 = f16(%a : i64) * e4m3(%a) add %added to (%c, %c, %c, %c) : (f32, f32, f32, f32) -> (f32, f32, f32, f32)
  return
}

// -----

func.func @sums_of_integers(%c: f32, %a: i64, %added: i1) {
  // expected-error@+1 {{adds up s32 of integers, and f32 or f16 of floats, not f32}}
  %0:4 = fairlead.warpgroup_mma 8 f32 = s8(%a : i64) * s8(%a) add %added to (%c, %c, %c, %c) : (f32, f32, f32, f32) -> (f32, f32, f32, f32)
  return
}

// -----

func.func @transposed(%c: f32, %a: i64, %added: i1) {
  // expected-error@+1 {{transposes operands of 16-bit elements, not of tf32}}
  %0:4 = fairlead.warpgroup_mma 8 f32 = tf32(%a : i64) * tf32 transposed(%a) add %added to (%c, %c, %c, %c) : (f32, f32, f32, f32) -> (f32, f32, f32, f32)
  return
}

// -----

func.func @a(%c: f32, %a: i64, %added: i1) {
  // expected-error@+1 {{takes A as an i64, its descriptor, or as four registers of i32}}
  %0:4 = fairlead.warpgroup_mma 8 f32 = f16(%a, %a : i64, i64) * f16(%a) add %added to (%c, %c, %c, %c) : (f32, f32, f32, f32) -> (f32, f32, f32, f32)
  return
}

// -----

func.func @a_in_registers(%c: f32, %r: i32, %b: i64, %added: i1) {
  // expected-error@+1 {{transposes A in shared memory, not in registers}}
  %0:4 = fairlead.warpgroup_mma 8 f32 = f16 transposed(%r, %r, %r, %r : i32, i32, i32, i32) * f16(%b) add %added to (%c, %c, %c, %c) : (f32, f32, f32, f32) -> (f32, f32, f32, f32)
  return
}

// -----

func.func @results(%c: f32, %a: i64, %added: i1) {
  // expected-error@+1 {{has results of the accumulator's types}}
  %0:4 = fairlead.warpgroup_mma 8 f32 = f16(%a : i64) * f16(%a) add %added to (%c, %c, %c, %c) : (f32, f32, f32, f32) -> (f32, f32, f32, i32)
  return
}

// -----

func.func @number_of_sums(%c: f32, %a: i64, %added: i1) {
  // expected-error@+1 {{has 8 registers of sums for N = 16, not 4}}
  %0:4 = fairlead.warpgroup_mma 16 f32 = f16(%a : i64) * f16(%a) add %added to (%c, %c, %c, %c) : (f32, f32, f32, f32) -> (f32, f32, f32, f32)
  return
}
