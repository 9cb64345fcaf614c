; Of two widths of recurrences in one loop the narrow one is frozen, so that no pass takes its elements for neighbours. A loop with
; one width stays.
; RUN: fairlead-llvm-opt %s --passes='function(fairlead-freeze-narrow-indices)' | FileCheck %s

; CHECK-LABEL: define void @two_widths
; CHECK: %[[NARROW:.*]] = zext i5 %{{.*}} to i64
; CHECK-NEXT: %[[FROZEN:.*]] = freeze i64 %[[NARROW]]
; CHECK: add i64 %{{.*}}, %[[FROZEN]]
; CHECK-LABEL: define void @one_width
; CHECK-NOT: freeze
define void @two_widths(ptr %a, ptr %b, i5 %from, i32 %begin, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %low = trunc i64 %i to i5
  %turned = add i5 %low, %from
  %column = zext i5 %turned to i64
  %short = trunc i64 %i to i32
  %sum = add i32 %short, %begin
  %row = zext i32 %sum to i64
  %place = add i64 %row, %column
  %p = getelementptr float, ptr %a, i64 %place
  %x = load float, ptr %p
  %q = getelementptr float, ptr %b, i64 %i
  store float %x, ptr %q
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
define void @one_width(ptr %a, ptr %b, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr float, ptr %a, i64 %i
  %x = load float, ptr %p
  %q = getelementptr float, ptr %b, i64 %i
  store float %x, ptr %q
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
