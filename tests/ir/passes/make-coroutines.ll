; A function of one thread becomes a coroutine: it stores what it waits for in the thread, is suspended, and goes on with the
; thread's result. Its frame is from the runtime. Other functions stay.
; RUN: fairlead-llvm-opt %s --passes=fairlead-make-coroutines | FileCheck %s

; CHECK: Function Attrs: presplitcoroutine
; CHECK-NEXT: define ptr @kernel_thread
; CHECK: %[[ID:.*]] = call token @llvm.coro.id(
; CHECK: %[[SIZE:.*]] = call i64 @llvm.coro.size.i64()
; CHECK: %[[FRAME:.*]] = call ptr @FairleadCpuFrame(ptr %thread, i64 %[[SIZE]])
; CHECK: %[[HANDLE:.*]] = call ptr @llvm.coro.begin(token %[[ID]], ptr %[[FRAME]])
; CHECK: store i32 6,
; CHECK: %[[STATE:.*]] = call i8 @llvm.coro.suspend(
; CHECK: switch i8 %[[STATE]], label %[[LEAVE:.*]] [
; CHECK-NEXT: i8 0, label %[[ON:.*]]
; CHECK: [[ON]]:
; CHECK: %[[RESULT:.*]] = load i32
; CHECK: store i32 %[[RESULT]], ptr %out
; CHECK: [[LEAVE]]:
; CHECK: ret ptr %[[HANDLE]]
define ptr @kernel_thread(ptr %out, ptr %thread) #0 {
  %result = call i32 @fairlead_wait(ptr %thread, i32 6, i32 -1, i32 1, i32 2, i32 3, ptr null)
  store i32 %result, ptr %out
  ret ptr null
}

; CHECK-LABEL: define void @other(ptr %out)
; CHECK-NEXT: store i32 1, ptr %out
; CHECK-NEXT: ret void
define void @other(ptr %out) {
  store i32 1, ptr %out
  ret void
}

; CHECK-NOT: fairlead_wait
declare i32 @fairlead_wait(ptr, i32, i32, i32, i32, i32, ptr)
attributes #0 = { "fairlead-thread" }
