; A value that ends a chain of 16 operations in an innermost loop is cast to its bits and back. A loop that carries a float, and one
; that is kept scalar, stay.
; RUN: awk -f %S/../tools/repeat.awk %s | fairlead-llvm-opt - --passes='function(fairlead-break-long-chains)' | FileCheck %s

; CHECK-LABEL: define void @long
; CHECK-COUNT-16: fadd float
; CHECK-NEXT: %[[BITS:.*]] = bitcast float %y16 to i32
; CHECK-NEXT: %[[SAME:.*]] = bitcast i32 %[[BITS]] to float
; CHECK-NEXT: fadd float %[[SAME]]
; CHECK-NOT: bitcast
; CHECK-LABEL: define void @carries
; CHECK-NOT: bitcast
; CHECK-LABEL: define void @scalar
; CHECK-NOT: bitcast

define void @long(ptr %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr float, ptr %a, i64 %i
  %y0 = load float, ptr %p
  repeat 20 %y#+1 = fadd float %y#, #+1.0
  store float %y20, ptr %p
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
define void @carries(ptr %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %y20, %loop ]
  %p = getelementptr float, ptr %a, i64 %i
  %y0 = load float, ptr %p
  repeat 20 %y#+1 = fadd float %y#, #+1.0
  store float %y20, ptr %p
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
define void @scalar(ptr %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr float, ptr %a, i64 %i
  %y0 = load float, ptr %p
  repeat 20 %y#+1 = fadd float %y#, #+1.0
  store float %y20, ptr %p
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.vectorize.enable", i32 0}
