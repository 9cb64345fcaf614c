// RUN: fairlead-opt %s -split-input-file -verify-diagnostics

func.func @registers(%a: i32, %c: f32) {
  // expected-error@+1 {{takes 4 registers of A, 2 of B and 4 of C and gives as many of D, not 6 and 4}}
  %d:4 = fairlead.mma 16 x 8 x 16 f32 = f16 * f16(%a, %a, %c, %c, %c, %c) : (i32, i32, f32, f32, f32, f32) -> (f32, f32, f32, f32)
  return
}

// -----

func.func @results(%a: i32, %c: f32) {
  // expected-error@+1 {{takes 2 registers of A, 1 of B and 4 of C and gives as many of D, not 7 and 0}}
  fairlead.mma 16 x 8 x 8 f32 = f16 * f16(%a, %a, %a, %c, %c, %c, %c) : (i32, i32, i32, f32, f32, f32, f32) -> ()
  return
}

// -----

func.func @a(%a: i32, %c: f32) {
  // expected-error@+1 {{has registers of 'i32' for tf32, not 'f32'}}
  %d:4 = fairlead.mma 16 x 8 x 4 f32 = tf32 * tf32(%c, %a, %a, %c, %c, %c, %c) : (f32, i32, i32, f32, f32, f32, f32) -> (f32, f32, f32, f32)
  return
}

// -----

func.func @b(%a: i32, %c: f32) {
  // expected-error@+1 {{has registers of 'i32' for f16, not 'f32'}}
  %d:4 = fairlead.mma 16 x 8 x 8 f32 = f16 * f16(%a, %a, %c, %c, %c, %c, %c) : (i32, i32, f32, f32, f32, f32, f32) -> (f32, f32, f32, f32)
  return
}

// -----

func.func @c(%a: i32, %c: f32) {
  // expected-error@+1 {{has registers of 'f32' for f32, not 'i32'}}
  %d:4 = fairlead.mma 16 x 8 x 8 f32 = f16 * f16(%a, %a, %a, %a, %c, %c, %c) : (i32, i32, i32, i32, f32, f32, f32) -> (f32, f32, f32, f32)
  return
}

// -----

func.func @d(%a: f64) {
  // expected-error@+1 {{has registers of 'f64' for f64, not 'f32'}}
  %d:2 = fairlead.mma 8 x 8 x 4 f64 = f64 * f64(%a, %a, %a, %a) : (f64, f64, f64, f64) -> (f32, f64)
  return
}

// -----

func.func @register(%a: i16) {
  // expected-error@+1 {{operand #0 must be variadic of a register (i32, f32 or f64), but got 'i16'}}
  %d = fairlead.mma 16 x 8 x 8 f32 = f16 * f16(%a, %a, %a) : (i16, i16, i16) -> i32
  return
}

// -----

func.func @load_three(%row: i64) {
  // expected-error@+1 {{moves 1, 2 or 4 matrices, a register each, not 3}}
  %x:3 = fairlead.load_matrix %row : i32, i32, i32
  return
}

// -----

func.func @load_bytes_of_eight_rows(%row: i64) {
  // expected-error@+1 {{has elements of 4 or 6 bits, or transposed ones of 8, not 8}}
  %x = fairlead.load_byte_matrix %row bits 8 : i32
  return
}

// -----

func.func @load_five_bits(%row: i64) {
  // expected-error@+1 {{has elements of 4 or 6 bits, or transposed ones of 8, not 5}}
  %x:2 = fairlead.load_byte_matrix %row bits 5 transposed : i32, i32
  return
}

// -----

func.func @load_half_a_matrix(%row: i64) {
  // expected-error@+1 {{moves 1 or 2 transposed matrices, two registers each, not 1 registers}}
  %x = fairlead.load_byte_matrix %row bits 8 transposed : i32
  return
}

// -----

func.func @load_three_of_bytes(%row: i64) {
  // expected-error@+1 {{moves 1, 2 or 4 matrices, a register each, not 3}}
  %x:3 = fairlead.load_byte_matrix %row bits 4 : i32, i32, i32
  return
}

// -----

func.func @store_three(%row: i64, %x: i32) {
  // expected-error@+1 {{moves 1, 2 or 4 matrices, a register each, not 3}}
  fairlead.store_matrix %x, %x, %x to %row
  return
}

// -----

func.func @store_none(%row: i64) {
  // expected-error@+1 {{moves 1, 2 or 4 matrices, a register each, not 0}}
  "fairlead.store_matrix"(%row) : (i64) -> ()
  return
}

// -----

func.func @transpose_float(%c: f32) {
  // expected-error@+1 {{operand #0 must be 32-bit signless integer, but got 'f32'}}
  %x = "fairlead.transpose_matrix"(%c) : (f32) -> f32
  return
}

// -----

func.func @transpose_to_float(%a: i32) {
  // expected-error@+1 {{result #0 must be 32-bit signless integer, but got 'f32'}}
  %x = "fairlead.transpose_matrix"(%a) : (i32) -> f32
  return
}

// -----

func.func @transpose_none() {
  // expected-error@+1 {{requires a single operand}}
  %x = "fairlead.transpose_matrix"() : () -> i32
  return
}

// -----

func.func @extent(%c: f32, %a: i64, %added: i1) {
  // expected-error@+1 {{has an extent N of 8 to 256, a multiple of 8, not 12}}
  %0:6 = fairlead.warpgroup_mma 12 f32 = f16(%a : i64) * f16(%a) add %added to (%c, %c, %c, %c, %c, %c) : (f32, f32, f32, f32, f32, f32) -> (f32, f32, f32, f32, f32, f32)
  return
}

// -----

func.func @types(%c: f32, %a: i64, %added: i1) {
  // expected-error@+1 {{multiplies f16, bf16 or tf32 by the same type, and floats of 8 bits or integers of 8 bits by each other, not f16 and e4m3}}
  %0:4 = fairlead.warpgroup_mma 8 f32 = f16(%a : i64) * e4m3(%a) add %added to (%c, %c, %c, %c) : (f32, f32, f32, f32) -> (f32, f32, f32, f32)
  return
}

// -----

func.func @no_operand_type(%c: f32, %a: i64, %added: i1) {
  // expected-error@+1 {{integers of 8 bits by each other, not f32 and f32}}
  %0:4 = fairlead.warpgroup_mma 8 f32 = f32(%a : i64) * f32(%a) add %added to (%c, %c, %c, %c) : (f32, f32, f32, f32) -> (f32, f32, f32, f32)
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

// -----

func.func @scaled_registers(%a: i32, %c: f32) {
  // expected-error@+1 {{takes 4 registers of A, 2 of B, 4 f32 of C and 2 of scale factors, and gives 4 of D}}
  %s:4 = fairlead.mma.block_scale mxf4 e2m1 * e2m1 scales ue8m0 per 32 (%a, %a, %c, %c, %c, %c, %a, %a) : (i32, i32, f32, f32, f32, f32, i32, i32) -> (f32, f32, f32, f32)
  return
}

// -----

func.func @scale_type(%a: i32, %c: f32) {
  // expected-error@+1 {{has a scale factor ue8m0 per 32 elements, or for kind mxf4nvf4 also ue4m3 or ue8m0 per 16, not ue4m3 per 32}}
  %s:4 = fairlead.mma.block_scale mxf4 e2m1 * e2m1 scales ue4m3 per 32 (%a, %a, %a, %a, %a, %a, %c, %c, %c, %c, %a, %a) : (i32, i32, i32, i32, i32, i32, f32, f32, f32, f32, i32, i32) -> (f32, f32, f32, f32)
  return
}

// -----

func.func @scaled_types(%a: i32, %c: f32) {
  // expected-error@+1 {{multiplies e2m1 for the kinds mxf4 and mxf4nvf4, not e4m3}}
  %s:4 = fairlead.mma.block_scale mxf4 e4m3 * e2m1 scales ue8m0 per 32 (%a, %a, %a, %a, %a, %a, %c, %c, %c, %c, %a, %a) : (i32, i32, i32, i32, i32, i32, f32, f32, f32, f32, i32, i32) -> (f32, f32, f32, f32)
  return
}

// -----

func.func @extreme_of_doubles(%x: f64) {
  // expected-error@+1 {{operand #0 must be 32-bit float, but got 'f64'}}
  %y = "fairlead.warp_extreme"(%x) {extreme = #fairlead<extreme min>} : (f64) -> f64
  return
}

// -----

func.func @sum_of_warp(%x: f32) {
  // expected-error@+2 {{expected ::fairlead::ir::Extreme to be one of: min, max}}
  // expected-error@+1 {{failed to parse ExtremeAttr}}
  %y = fairlead.warp_extreme add %x
  return
}

// -----

func.func @pairs_of_doubles(%a: i64, %c: f32) {
  // expected-error@+1 {{operand #0 must be pairs of bf16 in i32, but got 'i64'}}
  %d = "fairlead.dot_pairs"(%a, %a, %c) : (i64, i64, f32) -> f32
  return
}

// -----

func.func @pairs_of_two_lengths(%a: vector<8xi32>, %c: vector<16xf32>) {
  // expected-error@+1 {{all non-scalar operands/results must have the same shape and base type}}
  %d = fairlead.dot_pairs %a, %a to %c : vector<8xi32>, vector<16xf32>
  return
}
