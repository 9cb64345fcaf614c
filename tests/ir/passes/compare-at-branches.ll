; A comparison of another block is repeated where it decides a branch, on a moved operand, so that the back end keeps both.
; Comparisons of the branch's own block, and of other types, stay.
; RUN: fairlead-llvm-opt %s --passes=fairlead-compare-at-branches | FileCheck %s

; CHECK-LABEL: define void @leader
; CHECK: entry:
; CHECK-NOT: icmp
; CHECK: loop:
; CHECK: %[[LANE:.*]] = call i32 asm "mov.b32 $0, $1;", "=r,r"(i32 %lane)
; CHECK-NEXT: %[[FIRST:.*]] = icmp eq i32 %[[LANE]], 0
; CHECK-NEXT: br i1 %[[FIRST]], label %arrive, label %next
; CHECK: next:
; CHECK-NEXT: %more = icmp slt i32 %i.next, %n
; CHECK-NEXT: br i1 %more
define void @leader(i32 %lane, i32 %n, ptr %p) {
entry:
  %first = icmp eq i32 %lane, 0
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %next ]
  %i.next = add i32 %i, 1
  br i1 %first, label %arrive, label %next

arrive:
  store i32 %i, ptr %p
  br label %next

next:
  %more = icmp slt i32 %i.next, %n
  br i1 %more, label %loop, label %exit

exit:
  ret void
}

; CHECK-LABEL: define void @wide
; CHECK: entry:
; CHECK-NEXT: %first = icmp eq i64 %lane, 0
; CHECK-NOT: asm
; CHECK: ret void
define void @wide(i64 %lane, ptr %p) {
entry:
  %first = icmp eq i64 %lane, 0
  br label %test

test:
  br i1 %first, label %yes, label %no

yes:
  store i32 1, ptr %p
  br label %no

no:
  ret void
}
