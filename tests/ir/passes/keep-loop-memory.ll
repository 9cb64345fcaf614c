; Memory of a coroutine that a loop around a suspension uses, and nothing before the loop, gets a use in the entry block. Memory that
; is used there anyway, or in no such loop, gets none; functions that are no coroutines stay.
; RUN: fairlead-llvm-opt %s --passes='function(fairlead-keep-loop-memory)' | FileCheck %s

; CHECK-LABEL: define void @coroutine
; CHECK: %looped = alloca float
; CHECK-NEXT: %before = alloca float
; CHECK-NEXT: %after = alloca float
; CHECK-NEXT: store float %x, ptr %before
; CHECK-NEXT: store i8 0, ptr %looped
; CHECK-NEXT: br label %loop
; CHECK-NOT: store i8
; CHECK: ret void
define void @coroutine(float %x) presplitcoroutine {
entry:
  %looped = alloca float
  %before = alloca float
  %after = alloca float
  store float %x, ptr %before
  br label %loop
loop:
  %y = load float, ptr %looped
  %z = load float, ptr %before
  %sum = fadd float %y, %z
  store float %sum, ptr %looped
  %state = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %state, label %end [i8 0, label %loop]
end:
  store float %x, ptr %after
  ret void
}

; CHECK-LABEL: define void @plain
; CHECK-NOT: store i8
; CHECK: ret void
define void @plain(i1 %more) {
entry:
  %looped = alloca float
  br label %loop
loop:
  store float 1.0, ptr %looped
  br i1 %more, label %loop, label %end
end:
  ret void
}
