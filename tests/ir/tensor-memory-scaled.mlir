// PTX of products with scale factors, and of copies to tensor memory. The word of a product, bit by bit: the byte of B's
// first scale factor from 4, type of A from 7, of B from 10, K slowest in A (15) and B (16), N / 8 from 17, whether scale
// factors are exponents (23), M / 128 from 27, the byte of A's first scale factor from 29.
// RUN: fairlead-lower %s --target=cuda:sm_103a --print=ptx | FileCheck %s
// RUN: fairlead-lower %s --target=cpu --print=mlir | FileCheck %s --check-prefix=CPU

// CPU-LABEL: llvm.func internal @device_products
// CPU: llvm.call @FairleadCpuTensorMemoryScaledMma(
// CPU-LABEL: llvm.func internal @device_copies
// CPU: llvm.call @FairleadCpuTensorMemoryCopy(
// CPU-NOT: tcgen05

module attributes {gpu.container_module} {
  gpu.module @device {
    // CHECK: .version 8.8
    // CHECK-LABEL: .entry device_products
    gpu.func @device_products(%d: !llvm.ptr<6>, %a: i64, %b: i64, %sa: !llvm.ptr<6>, %sb: !llvm.ptr<6>, %added: i1) kernel {
      // The words of the published kernels' descriptors without the bytes: 0x08A00000, 0x08A00480, 0x08400480.
      // CHECK: 144703488
      // CHECK: @p tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X [%r{{[0-9]+}}], %rd{{[0-9]+}}, %rd{{[0-9]+}}, %r{{[0-9]+}}, [%r{{[0-9]+}}], [%r{{[0-9]+}}], added;
      fairlead.tcgen05.mma.block_scale mxf8f6f4 128 x 128 x 32 (%d) = e4m3(%a, %sa) * e4m3(%b, %sb) scales ue8m0 per 32 add %added : !llvm.ptr<6>
      // 0x08A00000 | 5 << 7 | 1 << 10
      // CHECK: 144705152
      // CHECK: kind::mxf8f6f4
      fairlead.tcgen05.mma.block_scale mxf8f6f4 128 x 128 x 32 (%d) = e2m1(%a, %sa) * e5m2(%b, %sb) scales ue8m0 per 32 add %added : !llvm.ptr<6>
      // 0x08A00000 | 3 << 7 | 4 << 10 | 1 << 15
      // CHECK: 144740736
      // CHECK: kind::mxf8f6f4
      fairlead.tcgen05.mma.block_scale mxf8f6f4 128 x 128 x 32 (%d) = e2m3 transposed(%a, %sa) * e3m2(%b, %sb) scales ue8m0 per 32 add %added : !llvm.ptr<6>
      // CHECK: 144704640
      // CHECK: kind::mxf4.block_scale.scale_vec::2X
      fairlead.tcgen05.mma.block_scale mxf4 128 x 128 x 64 (%d) = e2m1(%a, %sa) * e2m1(%b, %sb) scales ue8m0 per 32 add %added : !llvm.ptr<6>
      // CHECK: 138413184
      // CHECK: kind::mxf4nvf4.block_scale.scale_vec::4X
      fairlead.tcgen05.mma.block_scale mxf4nvf4 128 x 256 x 64 (%d) = e2m1(%a, %sa) * e2m1(%b, %sb) scales ue4m3 per 16 add %added : !llvm.ptr<6>
      // CHECK: kind::mxf4nvf4.block_scale.scale_vec::2X
      fairlead.tcgen05.mma.block_scale mxf4nvf4 128 x 256 x 64 (%d) = e2m1(%a, %sa) * e2m1(%b, %sb) scales ue8m0 per 32 add %added : !llvm.ptr<6>
      // 0x88400480: bit 31 says that K is 96
      // CHECK: -2009070464
      // CHECK: kind::mxf4nvf4.block_scale.block16 [
      fairlead.tcgen05.mma.block_scale mxf4nvf4 128 x 256 x 96 (%d) = e2m1(%a, %sa) * e2m1(%b, %sb) scales ue4m3 per 16 add %added : !llvm.ptr<6>
      // CHECK: kind::mxf4.block_scale.block32 [
      fairlead.tcgen05.mma.block_scale mxf4 128 x 256 x 96 (%d) = e2m1(%a, %sa) * e2m1(%b, %sb) scales ue8m0 per 32 add %added : !llvm.ptr<6>
      gpu.return
    }

    // CHECK-LABEL: .entry device_copies
    gpu.func @device_copies(%rows: i64, %at: !llvm.ptr<6>) kernel {
      // CHECK: @p tcgen05.cp.cta_group::1.32x128b.warpx4 [%r{{[0-9]+}}], %rd{{[0-9]+}};
      fairlead.tcgen05.cp %rows to %at shape rows32x128 : !llvm.ptr<6>
      // CHECK: tcgen05.cp.cta_group::1.128x256b [
      fairlead.tcgen05.cp %rows to %at shape rows128x256 : !llvm.ptr<6>
      // CHECK: tcgen05.cp.cta_group::1.4x256b [
      fairlead.tcgen05.cp %rows to %at shape rows4x256 : !llvm.ptr<6>
      // CHECK: tcgen05.cp.cta_group::1.128x128b [
      fairlead.tcgen05.cp %rows to %at shape rows128x128 : !llvm.ptr<6>
      // CHECK: tcgen05.cp.cta_group::1.64x128b.warpx2::02_13 [
      fairlead.tcgen05.cp %rows to %at shape rows64x128_02_13 : !llvm.ptr<6>
      // CHECK: tcgen05.cp.cta_group::1.64x128b.warpx2::01_23 [
      fairlead.tcgen05.cp %rows to %at shape rows64x128_01_23 : !llvm.ptr<6>
      gpu.return
    }
  }
  func.func @host(%ctx: !llvm.ptr) { return }
}
