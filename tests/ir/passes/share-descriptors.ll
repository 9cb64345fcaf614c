; Descriptors that differ by a number come from the first one, if nothing outside the block uses them.
; RUN: fairlead-llvm-opt %s --passes=fairlead-share-descriptors | FileCheck %s

; 4611686293305294848 is 1073741888 << 32.

; CHECK-LABEL: define void @steps
; CHECK: %[[LOW:.*]] = add i32 %stage, 64
; CHECK-NEXT: %[[FIRST:.*]] = call i64 asm "mov.b64 $0, {$1, 1073741888};", "=l,r"(i32 %[[LOW]])
; CHECK-NEXT: %[[SAME:.*]] = add i64 %[[FIRST]], 0
; CHECK-NEXT: call void asm sideeffect "wgmma.mma_async $0, $1;", "l,l"(i64 %other, i64 %[[SAME]])
; CHECK-NEXT: %[[LATER:.*]] = add i64 %[[FIRST]], 1024
; CHECK-NEXT: call void asm sideeffect "wgmma.mma_async $0, $1;", "l,l"(i64 %other, i64 %[[LATER]])
; CHECK-NEXT: %[[EARLIER:.*]] = add i64 %[[FIRST]], -64
; CHECK-NEXT: call void asm sideeffect "wgmma.mma_async $0, $1;", "l,l"(i64 %other, i64 %[[EARLIER]])
; CHECK-NEXT: ret void
define void @steps(i32 %stage, i64 %other) {
  %low = add i32 %stage, 64
  %low.wide = zext i32 %low to i64
  %first = or i64 %low.wide, 4611686293305294848
  %later.low = add i32 %stage, 1088
  %later.wide = zext i32 %later.low to i64
  %later = or i64 %later.wide, 4611686293305294848
  %earlier.wide = zext i32 %stage to i64
  %earlier = or i64 %earlier.wide, 4611686293305294848
  call void asm sideeffect "wgmma.mma_async $0, $1;", "l,l"(i64 %other, i64 %first)
  call void asm sideeffect "wgmma.mma_async $0, $1;", "l,l"(i64 %other, i64 %later)
  call void asm sideeffect "wgmma.mma_async $0, $1;", "l,l"(i64 %other, i64 %earlier)
  ret void
}

; A number in clear bits of the low word is an addition, and one in others is not.
; CHECK-LABEL: define void @bits
; CHECK: %[[FIRST:.*]] = call i64 asm "mov.b64
; CHECK: add i64 %[[FIRST]], 0
; CHECK: %[[NEXT:.*]] = add i64 %[[FIRST]], 2
; CHECK-NEXT: call void asm sideeffect "wgmma.mma_async $0;", "l"(i64 %[[NEXT]])
; CHECK-NEXT: call void asm sideeffect "wgmma.mma_async $0;", "l"(i64 %odd)
define void @bits(i32 %stage) {
  %low = shl i32 %stage, 2
  %wide = zext i32 %low to i64
  %first = or i64 %wide, 4611686293305294848
  %next = or i64 %wide, 4611686293305294850
  %odd = or i64 %wide, 4611686293305294852
  call void asm sideeffect "wgmma.mma_async $0;", "l"(i64 %first)
  call void asm sideeffect "wgmma.mma_async $0;", "l"(i64 %next)
  call void asm sideeffect "wgmma.mma_async $0;", "l"(i64 %odd)
  ret void
}

; CHECK-LABEL: define void @loop
; CHECK: call void asm sideeffect "wgmma.mma_async $0;", "l"(i64 %first)
; CHECK: call void asm sideeffect "wgmma.mma_async $0;", "l"(i64 %first)
define void @loop(i32 %stage, i1 %again) {
entry:
  %wide = zext i32 %stage to i64
  %first = or i64 %wide, 4611686293305294848
  call void asm sideeffect "wgmma.mma_async $0;", "l"(i64 %first)
  br label %loop

loop:
  call void asm sideeffect "wgmma.mma_async $0;", "l"(i64 %first)
  br i1 %again, label %loop, label %exit

exit:
  ret void
}
