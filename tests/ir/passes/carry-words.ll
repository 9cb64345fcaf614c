; Loops carry the word of two 16-bit halves, not the halves. A half with another use stays.
; RUN: fairlead-llvm-opt %s --passes=fairlead-carry-words,fairlead-pack-conversions | FileCheck %s

declare void @use(i32)
declare void @useHalf(i16)

; The loop reads the word of two numbers first and a word of memory then, and so does the code behind it, as floats.
; CHECK-LABEL: define void @loop
; CHECK: entry:
; CHECK: %[[PAIR:.*]] = fptrunc <2 x float> %{{.*}} to <2 x bfloat>
; CHECK: %[[FIRST:.*]] = bitcast <2 x bfloat> %[[PAIR]] to i32
; CHECK: loop:
; CHECK-NEXT: %[[WORD:.*]] = phi i32 [ %[[FIRST]], %entry ], [ %[[NEXT:.*]], %loop ]
; CHECK-NEXT: call void @use(i32 %[[WORD]])
; CHECK-NEXT: %[[NEXT]] = load i32, ptr %p
; CHECK: exit:
; CHECK-NEXT: %[[LAST:.*]] = phi i32 [ %[[FIRST]], %entry ], [ %[[NEXT]], %loop ]
; CHECK-NEXT: call void @use(i32 %[[LAST]])
define void @loop(float %x, float %y, ptr %p, i1 %again) {
entry:
  %a = fptrunc float %x to bfloat
  %b = fptrunc float %y to bfloat
  %a.bits = bitcast bfloat %a to i16
  %b.bits = bitcast bfloat %b to i16
  br i1 %again, label %loop, label %exit

loop:
  %low = phi i16 [ %a.bits, %entry ], [ %next.low, %loop ]
  %high = phi i16 [ %b.bits, %entry ], [ %next.high, %loop ]
  %low.wide = zext i16 %low to i32
  %high.wide = zext i16 %high to i32
  %high.shifted = shl nuw i32 %high.wide, 16
  %word = or disjoint i32 %high.shifted, %low.wide
  call void @use(i32 %word)
  %next = load i32, ptr %p
  %next.low = trunc i32 %next to i16
  %next.shifted = lshr i32 %next, 16
  %next.high = trunc nuw i32 %next.shifted to i16
  %next.a = bitcast i16 %next.low to bfloat
  %next.b = bitcast i16 %next.high to bfloat
  br i1 %again, label %loop, label %exit

exit:
  %last.a = phi bfloat [ %a, %entry ], [ %next.a, %loop ]
  %last.b = phi bfloat [ %b, %entry ], [ %next.b, %loop ]
  %last.low = bitcast bfloat %last.a to i16
  %last.high = bitcast bfloat %last.b to i16
  %last.low.wide = zext i16 %last.low to i32
  %last.high.wide = zext i16 %last.high to i32
  %last.high.shifted = shl nuw i32 %last.high.wide, 16
  %last = or disjoint i32 %last.high.shifted, %last.low.wide
  call void @use(i32 %last)
  ret void
}

; CHECK-LABEL: define void @usedHalf
; CHECK: phi i16
; CHECK: phi i16
; CHECK-NOT: phi i32
; CHECK: ret void
define void @usedHalf(i16 %a, i16 %b, i32 %next, i1 %again) {
entry:
  br label %loop

loop:
  %low = phi i16 [ %a, %entry ], [ %next.low, %loop ]
  %high = phi i16 [ %b, %entry ], [ %a, %loop ]
  %low.wide = zext i16 %low to i32
  %high.wide = zext i16 %high to i32
  %high.shifted = shl nuw i32 %high.wide, 16
  %word = or disjoint i32 %high.shifted, %low.wide
  call void @use(i32 %word)
  call void @useHalf(i16 %low)
  %next.low = trunc i32 %next to i16
  br i1 %again, label %loop, label %exit

exit:
  ret void
}
