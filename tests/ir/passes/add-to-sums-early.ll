; A loop's sum that nothing else reads is added to in the block that computes the last operand. Sums that are read, and
; additions in the same block, stay, and so do loops of products of warpgroups, whose results are there after a wait.
; RUN: fairlead-llvm-opt %s --passes=fairlead-add-to-sums-early | FileCheck %s

; CHECK-LABEL: define float @sum
; CHECK: loop:
; CHECK: %product = fmul float %a, %a
; CHECK-NEXT: %sum.next = call float @llvm.fma.f32(float %a, float %product, float %sum)
; CHECK: call void asm sideeffect "bar.sync 0;"
; CHECK: next:
; CHECK-NEXT: %read.next = fadd float %read, %product
; CHECK-NEXT: %double = fmul float %a, 2.0
; CHECK-NEXT: %near.next = fadd float %near, %double
define float @sum(ptr %p, i32 %n) {
entry:
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %next ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %next ]
  %read = phi float [ 0.0, %entry ], [ %read.next, %next ]
  %near = phi float [ 0.0, %entry ], [ %near.next, %next ]
  %i.next = add i32 %i, 1
  %a = load float, ptr %p
  %product = fmul float %a, %a
  call void asm sideeffect "bar.sync 0;", ""()
  store float %read, ptr %p
  %first = icmp eq i32 %i, 0
  br i1 %first, label %write, label %next

write:
  store float %product, ptr %p
  br label %next

next:
  %sum.next = call float @llvm.fma.f32(float %a, float %product, float %sum)
  %read.next = fadd float %read, %product
  %double = fmul float %a, 2.0
  %near.next = fadd float %near, %double
  %more = icmp slt i32 %i.next, %n
  br i1 %more, label %loop, label %exit

exit:
  %all = fadd float %sum.next, %near.next
  ret float %all
}

; CHECK-LABEL: define float @product
; CHECK: next:
; CHECK-NEXT: call void asm sideeffect "wgmma.wait_group.sync.aligned 0;", ""()
; CHECK-NEXT: %sum.next = fadd float %sum, %a
define float @product(i32 %n) {
entry:
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %next ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %next ]
  %i.next = add i32 %i, 1
  %a = call float asm sideeffect "wgmma.mma_async $0;", "=f"()
  %more = icmp slt i32 %i.next, %n
  br label %next

next:
  call void asm sideeffect "wgmma.wait_group.sync.aligned 0;", ""()
  %sum.next = fadd float %sum, %a
  br i1 %more, label %loop, label %exit

exit:
  ret float %sum.next
}
