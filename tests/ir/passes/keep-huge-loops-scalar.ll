; An innermost loop of more than 512 instructions is kept from being vectorized; a short one is not.
; RUN: awk -f %S/../tools/repeat.awk %s | fairlead-llvm-opt - --passes='function(fairlead-keep-huge-loops-scalar)' | FileCheck %s

; CHECK-LABEL: define void @huge
; CHECK: br i1 %more, label %loop, label %end, !llvm.loop ![[LOOP:[0-9]+]]
; CHECK-LABEL: define void @short
; CHECK: br i1 %more, label %loop, label %end{{$}}
; CHECK: ![[LOOP]] = distinct !{![[LOOP]], ![[SCALAR:[0-9]+]]}
; CHECK: ![[SCALAR]] = !{!"llvm.loop.vectorize.enable", i32 0}
define void @huge(i1 %more, ptr %out) {
entry:
  br label %loop
loop:
  %x0 = load i32, ptr %out
  repeat 520 %x#+1 = add i32 %x#, #
  store i32 %x520, ptr %out
  br i1 %more, label %loop, label %end
end:
  ret void
}
define void @short(i1 %more, ptr %out) {
entry:
  br label %loop
loop:
  store i32 1, ptr %out
  br i1 %more, label %loop, label %end
end:
  ret void
}
