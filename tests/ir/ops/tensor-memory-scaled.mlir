// Products with scale factors, and the copies that bring these to tensor memory.
// RUN: fairlead-opt %s | fairlead-opt | FileCheck %s

// CHECK-LABEL: func.func @products
func.func @products(%d: !llvm.ptr<6>, %a: i64, %b: i64, %sa: !llvm.ptr<6>, %sb: !llvm.ptr<6>, %added: i1) {
  // CHECK: fairlead.tcgen05.mma.block_scale mxf8f6f4 128 x 64 x 32(%arg0) = e4m3(%arg1, %arg3) * e2m1(%arg2, %arg4) scales ue8m0 per 32 add %arg5 : !llvm.ptr<6>
  fairlead.tcgen05.mma.block_scale mxf8f6f4 128 x 64 x 32 (%d) = e4m3(%a, %sa) * e2m1(%b, %sb) scales ue8m0 per 32 add %added : !llvm.ptr<6>
  // CHECK: fairlead.tcgen05.mma.block_scale mxf8f6f4 128 x 64 x 32(%arg0) = e3m2 transposed(%arg1, %arg3) * e2m3 transposed(%arg2, %arg4) scales ue8m0 per 32
  fairlead.tcgen05.mma.block_scale mxf8f6f4 128 x 64 x 32 (%d) = e3m2 transposed(%a, %sa) * e2m3 transposed(%b, %sb) scales ue8m0 per 32 add %added : !llvm.ptr<6>
  // CHECK: fairlead.tcgen05.mma.block_scale mxf4 256 x 256 x 64(%arg0) = e2m1(%arg1, %arg3) * e2m1(%arg2, %arg4) scales ue8m0 per 32 add %arg5 group two : !llvm.ptr<6>
  fairlead.tcgen05.mma.block_scale mxf4 256 x 256 x 64 (%d) = e2m1(%a, %sa) * e2m1(%b, %sb) scales ue8m0 per 32 add %added group two : !llvm.ptr<6>
  // CHECK: fairlead.tcgen05.mma.block_scale mxf4nvf4 128 x 16 x 96(%arg0)
  fairlead.tcgen05.mma.block_scale mxf4nvf4 128 x 16 x 96 (%d) = e2m1(%a, %sa) * e2m1(%b, %sb) scales ue4m3 per 16 add %added : !llvm.ptr<6>
  // CHECK: fairlead.tcgen05.mma.block_scale mxf4nvf4 128 x 8 x 64(%arg0) = e2m1(%arg1, %arg3) * e2m1(%arg2, %arg4) scales ue4m3 per 16 add %arg5 : !llvm.ptr<6>
  fairlead.tcgen05.mma.block_scale mxf4nvf4 128 x 8 x 64 (%d) = e2m1(%a, %sa) * e2m1(%b, %sb) scales ue4m3 per 16 add %added : !llvm.ptr<6>
  return
}

// CHECK-LABEL: func.func @copies
func.func @copies(%rows: i64, %at: !llvm.ptr<6>) {
  // CHECK: fairlead.tcgen05.cp %arg0 to %arg1 shape rows32x128 : !llvm.ptr<6>
  fairlead.tcgen05.cp %rows to %at shape rows32x128 : !llvm.ptr<6>
  // CHECK: fairlead.tcgen05.cp %arg0 to %arg1 shape rows64x128_01_23 group two : !llvm.ptr<6>
  fairlead.tcgen05.cp %rows to %at shape rows64x128_01_23 group two : !llvm.ptr<6>
  return
}
