; Descriptors of one block with the same high word, whose low words are steps apart, become one of two words and
; additions of 64 bits. The back end sees no constant in the words that it could add to the steps.
; RUN: fairlead-llvm-opt %s --passes=fairlead-add-to-descriptors | FileCheck %s

; CHECK-LABEL: define void @steps
; CHECK: %[[LOW:.*]] = add i32 %place, 65538
; CHECK-NEXT: %[[BASE:.*]] = call i64 asm "mov.b64 $0, {$1, $2};", "=l,r,r"(i32 %[[LOW]], i32 1073741888)
; CHECK-NEXT: call void asm sideeffect "wgmma.mma_async $0;", "l"(i64 %[[BASE]])
; CHECK: %[[SECOND:.*]] = add i64 %[[BASE]], -2
; CHECK-NEXT: call void asm sideeffect "wgmma.mma_async $0;", "l"(i64 %[[SECOND]])
; CHECK: %[[THIRD:.*]] = add i64 %[[BASE]], 1026
; CHECK-NEXT: call void asm sideeffect "wgmma.mma_async $0;", "l"(i64 %[[THIRD]])
define void @steps(i32 %place) {
  %low = zext i32 %place to i64
  %first = or disjoint i64 %low, 4611686293305360386
  call void asm sideeffect "wgmma.mma_async $0;", "l"(i64 %first)
  %second = or disjoint i64 %low, 4611686293305360384
  call void asm sideeffect "wgmma.mma_async $0;", "l"(i64 %second)
  %next = add i32 %place, 1024
  %wide = zext i32 %next to i64
  %third = or disjoint i64 %wide, 4611686293305360388
  call void asm sideeffect "wgmma.mma_async $0;", "l"(i64 %third)
  ret void
}

; One alone stays, as do those with another high word, those of other blocks, of which each would take registers until
; then, and those that more than products use.
; CHECK-LABEL: define i64 @others
; CHECK-NOT: mov.b64
; CHECK: ret i64
define i64 @others(i32 %place, i1 %again) {
entry:
  %low = zext i32 %place to i64
  %alone = or disjoint i64 %low, 4611686293305294848
  call void asm sideeffect "wgmma.mma_async $0;", "l"(i64 %alone)
  %read = or disjoint i64 %low, 4611686293305294850
  %high = or disjoint i64 %low, 4611686018427387904
  call void asm sideeffect "wgmma.mma_async $0;", "l"(i64 %high)
  %later = or disjoint i64 %low, 4611686293305294852
  br i1 %again, label %next, label %exit

next:
  call void asm sideeffect "wgmma.mma_async $0;", "l"(i64 %later)
  br label %exit

exit:
  ret i64 %read
}
