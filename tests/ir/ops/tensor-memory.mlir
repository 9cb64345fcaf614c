// Instructions on tensor memory: each form is printed as it is written.
// RUN: fairlead-opt %s | fairlead-opt | FileCheck %s

// CHECK-LABEL: func.func @columns
func.func @columns(%to: !llvm.ptr<3>, %n: i32, %at: !llvm.ptr<6>) {
  // CHECK: fairlead.tcgen05.alloc %arg1 to %arg0 : !llvm.ptr<3>
  fairlead.tcgen05.alloc %n to %to : !llvm.ptr<3>
  // CHECK: fairlead.tcgen05.alloc %arg1 to %arg0 group two : !llvm.ptr<3>
  fairlead.tcgen05.alloc %n to %to group two : !llvm.ptr<3>
  // CHECK: fairlead.tcgen05.dealloc %arg1 at %arg2 : !llvm.ptr<6>
  fairlead.tcgen05.dealloc %n at %at : !llvm.ptr<6>
  // CHECK: fairlead.tcgen05.dealloc %arg1 at %arg2 group two : !llvm.ptr<6>
  fairlead.tcgen05.dealloc %n at %at group two : !llvm.ptr<6>
  // CHECK: fairlead.tcgen05.relinquish_alloc_permit{{$}}
  fairlead.tcgen05.relinquish_alloc_permit
  // CHECK: fairlead.tcgen05.relinquish_alloc_permit group two
  fairlead.tcgen05.relinquish_alloc_permit group two
  return
}

// CHECK-LABEL: func.func @registers
func.func @registers(%at: !llvm.ptr<6>) {
  // CHECK: fairlead.tcgen05.ld %arg0 shape 32 x 32 : !llvm.ptr<6> -> i32
  %a = fairlead.tcgen05.ld %at shape 32 x 32 : !llvm.ptr<6> -> i32
  // CHECK: fairlead.tcgen05.ld.red max %arg0 : !llvm.ptr<6> -> i32, i32
  %m:3 = fairlead.tcgen05.ld.red max %at : !llvm.ptr<6> -> i32, i32
  // CHECK: fairlead.tcgen05.ld %arg0 shape 16 x 256 : !llvm.ptr<6> -> i32, i32, i32, i32
  %b:4 = fairlead.tcgen05.ld %at shape 16 x 256 : !llvm.ptr<6> -> i32, i32, i32, i32
  // CHECK: fairlead.tcgen05.st %{{.*}} to %arg0 shape 16 x 64 : !llvm.ptr<6>
  fairlead.tcgen05.st %a to %at shape 16 x 64 : !llvm.ptr<6>
  // CHECK: fairlead.tcgen05.st %{{.*}}, %{{.*}} to %arg0 shape 16 x 128 : !llvm.ptr<6>
  fairlead.tcgen05.st %b#0, %b#1 to %at shape 16 x 128 : !llvm.ptr<6>
  // CHECK: fairlead.tcgen05.ld %arg0 shape 16 x 32 halves : !llvm.ptr<6> -> i32
  %c = fairlead.tcgen05.ld %at shape 16 x 32 halves : !llvm.ptr<6> -> i32
  // CHECK: fairlead.tcgen05.st %{{.*}} to %arg0 shape 32 x 32 halves : !llvm.ptr<6>
  fairlead.tcgen05.st %c to %at shape 32 x 32 halves : !llvm.ptr<6>
  return
}

// CHECK-LABEL: func.func @products
func.func @products(%d: !llvm.ptr<6>, %a: i64, %b: i64, %added: i1, %bar: !llvm.ptr<3>, %blocks: i16) {
  // CHECK: fairlead.tcgen05.mma 128 x 256 f32(%arg0) = f16(%arg1 : i64) * f16(%arg2) add %arg3 : !llvm.ptr<6>
  fairlead.tcgen05.mma 128 x 256 f32(%d) = f16(%a : i64) * f16(%b) add %added : !llvm.ptr<6>
  // CHECK: fairlead.tcgen05.mma 256 x 32 s32(%arg0) = s8 transposed(%arg1 : i64) * u8 transposed(%arg2) add %arg3 group two : !llvm.ptr<6>
  fairlead.tcgen05.mma 256 x 32 s32(%d) = s8 transposed(%a : i64) * u8 transposed(%b) add %added group two : !llvm.ptr<6>
  // CHECK: fairlead.tcgen05.mma 64 x 8 f16(%arg0) = e4m3(%arg1 : i64) * e5m2(%arg2) add %arg3 : !llvm.ptr<6>
  fairlead.tcgen05.mma 64 x 8 f16(%d) = e4m3(%a : i64) * e5m2(%b) add %added : !llvm.ptr<6>
  // CHECK: fairlead.tcgen05.mma 128 x 8 f32(%arg0) = bf16(%arg0 : !llvm.ptr<6>) * bf16 transposed(%arg2) add %arg3 : !llvm.ptr<6>
  fairlead.tcgen05.mma 128 x 8 f32(%d) = bf16(%d : !llvm.ptr<6>) * bf16 transposed(%b) add %added : !llvm.ptr<6>
  // CHECK: fairlead.tcgen05.mma 64 x 8 f32(%arg0) = tf32(%arg0 : !llvm.ptr<6>) * tf32(%arg2) add %arg3 : !llvm.ptr<6>
  fairlead.tcgen05.mma 64 x 8 f32(%d) = tf32(%d : !llvm.ptr<6>) * tf32(%b) add %added : !llvm.ptr<6>
  // CHECK: fairlead.tcgen05.commit %arg4 : !llvm.ptr<3>
  fairlead.tcgen05.commit %bar : !llvm.ptr<3>
  // CHECK: fairlead.tcgen05.commit %arg4 blocks %arg5 group two : !llvm.ptr<3>
  fairlead.tcgen05.commit %bar blocks %blocks group two : !llvm.ptr<3>
  return
}

// CHECK-LABEL: func.func @order
func.func @order() {
  // CHECK: fairlead.tcgen05.wait ld
  fairlead.tcgen05.wait ld
  // CHECK: fairlead.tcgen05.wait st
  fairlead.tcgen05.wait st
  // CHECK: fairlead.tcgen05.fence before
  fairlead.tcgen05.fence before
  // CHECK: fairlead.tcgen05.fence after
  fairlead.tcgen05.fence after
  return
}
