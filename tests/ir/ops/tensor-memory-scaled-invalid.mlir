// RUN: fairlead-opt %s -split-input-file -verify-diagnostics

func.func @types_of_four_bits(%d: !llvm.ptr<6>, %a: i64, %s: !llvm.ptr<6>, %added: i1) {
  // expected-error@+1 {{multiplies e2m1 for the kinds mxf4 and mxf4nvf4, not e4m3}}
  fairlead.tcgen05.mma.block_scale mxf4 128 x 64 x 64 (%d) = e2m1(%a, %s) * e4m3(%a, %s) scales ue8m0 per 32 add %added : !llvm.ptr<6>
  return
}

// -----

func.func @types(%d: !llvm.ptr<6>, %a: i64, %s: !llvm.ptr<6>, %added: i1) {
  // expected-error@+1 {{multiplies floats of 4, 6 and 8 bits, not f16}}
  fairlead.tcgen05.mma.block_scale mxf8f6f4 128 x 64 x 32 (%d) = f16(%a, %s) * e4m3(%a, %s) scales ue8m0 per 32 add %added : !llvm.ptr<6>
  return
}

// -----

func.func @transposed(%d: !llvm.ptr<6>, %a: i64, %s: !llvm.ptr<6>, %added: i1) {
  // expected-error@+1 {{transposes operands of kind mxf8f6f4 only}}
  fairlead.tcgen05.mma.block_scale mxf4nvf4 128 x 64 x 64 (%d) = e2m1(%a, %s) * e2m1 transposed(%a, %s) scales ue4m3 per 16 add %added : !llvm.ptr<6>
  return
}

// -----

func.func @scale_type(%d: !llvm.ptr<6>, %a: i64, %s: !llvm.ptr<6>, %added: i1) {
  // expected-error@+1 {{has a scale factor ue8m0 per 32 elements, or for kind mxf4nvf4 also ue4m3 or ue8m0 per 16, not ue4m3 per 32}}
  fairlead.tcgen05.mma.block_scale mxf4nvf4 128 x 64 x 64 (%d) = e2m1(%a, %s) * e2m1(%a, %s) scales ue4m3 per 32 add %added : !llvm.ptr<6>
  return
}

// -----

func.func @scale_vector(%d: !llvm.ptr<6>, %a: i64, %s: !llvm.ptr<6>, %added: i1) {
  // expected-error@+1 {{has a scale factor ue8m0 per 32 elements, or for kind mxf4nvf4 also ue4m3 or ue8m0 per 16, not ue8m0 per 16}}
  fairlead.tcgen05.mma.block_scale mxf8f6f4 128 x 64 x 32 (%d) = e4m3(%a, %s) * e4m3(%a, %s) scales ue8m0 per 16 add %added : !llvm.ptr<6>
  return
}

// -----

func.func @rows(%d: !llvm.ptr<6>, %a: i64, %s: !llvm.ptr<6>, %added: i1) {
  // expected-error@+1 {{has an extent M of 128, or 256 for group two, not 256}}
  fairlead.tcgen05.mma.block_scale mxf8f6f4 256 x 64 x 32 (%d) = e4m3(%a, %s) * e4m3(%a, %s) scales ue8m0 per 32 add %added : !llvm.ptr<6>
  return
}

// -----

func.func @rows_of_two(%d: !llvm.ptr<6>, %a: i64, %s: !llvm.ptr<6>, %added: i1) {
  // expected-error@+1 {{has an extent M of 128, or 256 for group two, not 64}}
  fairlead.tcgen05.mma.block_scale mxf8f6f4 64 x 64 x 32 (%d) = e4m3(%a, %s) * e4m3(%a, %s) scales ue8m0 per 32 add %added group two : !llvm.ptr<6>
  return
}

// -----

func.func @columns(%d: !llvm.ptr<6>, %a: i64, %s: !llvm.ptr<6>, %added: i1) {
  // expected-error@+1 {{has an extent N of 16 to 256, a multiple of 16, not 24}}
  fairlead.tcgen05.mma.block_scale mxf8f6f4 256 x 24 x 32 (%d) = e4m3(%a, %s) * e4m3(%a, %s) scales ue8m0 per 32 add %added group two : !llvm.ptr<6>
  return
}

// -----

func.func @copy_elsewhere(%rows: i64, %at: !llvm.ptr<3>) {
  // expected-error@+1 {{operand #1 must be an address in tensor memory, but got '!llvm.ptr<3>'}}
  fairlead.tcgen05.cp %rows to %at shape rows32x128 : !llvm.ptr<3>
  return
}

// -----

func.func @depth(%d: !llvm.ptr<6>, %s: !llvm.ptr<6>, %a: i64, %added: i1) {
  // expected-error@+1 {{has an extent K of 32 for kind mxf8f6f4, and of 64 or 96 for the others, not 128}}
  fairlead.tcgen05.mma.block_scale mxf4 128 x 64 x 128 (%d) = e2m1(%a, %s) * e2m1(%a, %s) scales ue8m0 per 32 add %added : !llvm.ptr<6>
  return
}

// -----

func.func @depth_of_bytes(%d: !llvm.ptr<6>, %s: !llvm.ptr<6>, %a: i64, %added: i1) {
  // expected-error@+1 {{has an extent K of 32 for kind mxf8f6f4, and of 64 or 96 for the others, not 96}}
  fairlead.tcgen05.mma.block_scale mxf8f6f4 128 x 64 x 96 (%d) = e4m3(%a, %s) * e4m3(%a, %s) scales ue8m0 per 32 add %added : !llvm.ptr<6>
  return
}

// -----

func.func @columns_of_long_rows(%d: !llvm.ptr<6>, %s: !llvm.ptr<6>, %a: i64, %added: i1) {
  // expected-error@+1 {{has an extent N of 16 to 256, a multiple of 16, not 24}}
  fairlead.tcgen05.mma.block_scale mxf4 128 x 24 x 96 (%d) = e2m1(%a, %s) * e2m1(%a, %s) scales ue8m0 per 32 add %added : !llvm.ptr<6>
  return
}
