; Halves of a product's sums are read behind the wait, also behind a loop. What is used before the wait stays.
; RUN: fairlead-llvm-opt %s --passes=fairlead-unpack-sums-late | FileCheck %s

declare void @llvm.nvvm.wgmma.wait_group.sync.aligned(i64)

; CHECK-LABEL: define void @straight
; CHECK: %sums = call
; CHECK-NEXT: %sum = extractvalue
; CHECK-NEXT: %low = trunc i32 %sum to i16
; CHECK-NEXT: store i16 %low, ptr %p
; CHECK-NEXT: call void @llvm.nvvm.wgmma.wait_group
; CHECK-NEXT: %shifted = lshr i32 %sum, 16
; CHECK-NEXT: %high = trunc nuw i32 %shifted to i16
; CHECK-NEXT: store i16 %high, ptr %p
define void @straight(ptr %p, i64 %d) {
  %sums = call { i32, i32 } asm sideeffect "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {$0, $1}, $2, $2, 1, 1, 1, 0, 0;", "=r,=r,l"(i64 %d)
  %sum = extractvalue { i32, i32 } %sums, 0
  %shifted = lshr i32 %sum, 16
  %high = trunc nuw i32 %shifted to i16
  %low = trunc i32 %sum to i16
  store i16 %low, ptr %p
  call void @llvm.nvvm.wgmma.wait_group.sync.aligned(i64 0)
  store i16 %high, ptr %p
  ret void
}

; CHECK-LABEL: define void @loop
; CHECK: exit:
; CHECK-NEXT: call void @llvm.nvvm.wgmma.wait_group
; CHECK-NEXT: %half = trunc i32 %next to i16
; CHECK-NEXT: store i16 %half, ptr %p
define void @loop(ptr %p, i64 %d, i1 %again) {
entry:
  br label %loop
loop:
  %sum = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = call i32 asm sideeffect "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {$0}, $1, $1, 1, 1, 1, 0, 0;", "=r,l,0"(i64 %d, i32 %sum)
  br i1 %again, label %loop, label %exit
exit:
  %half = trunc i32 %next to i16
  call void @llvm.nvvm.wgmma.wait_group.sync.aligned(i64 0)
  store i16 %half, ptr %p
  ret void
}
