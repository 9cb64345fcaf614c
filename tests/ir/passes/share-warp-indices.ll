; In blocks of one dimension, the index of the warp is computed once, by the shuffle with which the program makes it uniform. A
; shuffle of a number that all lanes have is that number. On Blackwell lanes read their index from its register.
; RUN: fairlead-llvm-opt %s --passes=fairlead-share-warp-indices | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.cluster.ctarank()
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)

; CHECK-LABEL: define ptx_kernel void @line
; CHECK: %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
; CHECK-NEXT: %[[INDEX:.*]] = lshr i32 %thread, 5
; CHECK-NEXT: %[[WARP:.*]] = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %[[INDEX]], i32 0, i32 31)
; CHECK-NOT: shfl
; CHECK: %rank = call i32 @llvm.nvvm.read.ptx.sreg.cluster.ctarank()
; CHECK-NEXT: store volatile i32 %[[WARP]], ptr %out
; CHECK-NEXT: store volatile i32 %rank, ptr %out
; CHECK-NEXT: %[[GROUP:.*]] = lshr i32 %[[WARP]], 2
; CHECK-NEXT: store volatile i32 %[[GROUP]], ptr %out
; CHECK-NEXT: %[[SHIFTED:.*]] = shl i32 %[[WARP]], 5
; CHECK-NEXT: %[[FIRST:.*]] = and i32 %[[SHIFTED]], 96
; CHECK-NEXT: store volatile i32 %[[FIRST]], ptr %out
; CHECK-NEXT: %[[LANE:.*]] = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
; CHECK-NEXT: store volatile i32 %[[LANE]], ptr %out
; CHECK: call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %[[LANE]], i32 0, i32 31)
define ptx_kernel void @line(ptr %out) "nvvm.maxntid"="192,1,1" {
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %warp = lshr i32 %thread, 5
  %uniform = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %warp, i32 0, i32 31)
  %rank = call i32 @llvm.nvvm.read.ptx.sreg.cluster.ctarank()
  %block = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %rank, i32 0, i32 31)
  store volatile i32 %uniform, ptr %out
  store volatile i32 %block, ptr %out
  %group = lshr i32 %thread, 7
  store volatile i32 %group, ptr %out
  %first = and i32 %thread, 96
  store volatile i32 %first, ptr %out
  %lane = and i32 %thread, 31
  store volatile i32 %lane, ptr %out
  %other = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %lane, i32 0, i32 31)
  store volatile i32 %other, ptr %out
  ret void
}

; Lanes of a warp may have different x indices divided by 32 if rows are not whole warps.
; CHECK-LABEL: define ptx_kernel void @plane
; CHECK: %group = lshr i32 %thread, 7
define ptx_kernel void @plane(ptr %out) "nvvm.maxntid"="48,2,1" {
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %warp = lshr i32 %thread, 5
  %uniform = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %warp, i32 0, i32 31)
  store volatile i32 %uniform, ptr %out
  %group = lshr i32 %thread, 7
  store volatile i32 %group, ptr %out
  ret void
}

; No shuffle is added for a program that has none.
; CHECK-LABEL: define ptx_kernel void @plain
; CHECK-NOT: shfl
; CHECK: ret void
define ptx_kernel void @plain(ptr %out) "nvvm.maxntid"="128,1,1" {
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %warp = lshr i32 %thread, 5
  store volatile i32 %warp, ptr %out
  ret void
}
