; A kernel whose values are looked at follows which bits have none, and tells the runtime if the number of a marked call has such
; bits; the mark is gone. Host functions, and modules without marks, stay.
; RUN: split-file %s %t
; RUN: fairlead-llvm-opt %t/marked.ll --passes=fairlead-follow-uninitialised | FileCheck %s
; RUN: fairlead-llvm-opt %t/plain.ll --passes=fairlead-follow-uninitialised | FileCheck %s --check-prefix=PLAIN

; CHECK-LABEL: define ptr @host
; CHECK-NEXT: load float, ptr %a
; CHECK-NOT: FairleadCheck
; CHECK-LABEL: define internal void @kernel
; CHECK: FairleadCheck
; CHECK: call void @FairleadCheckUninitialised(ptr %launch, i32 7)
; CHECK-NOT: FairleadCheckValue
; CHECK-NOT: __msan
; CHECK-NOT: attributes {{.*}}sanitize
; PLAIN-LABEL: define void @function
; PLAIN-NEXT: load float, ptr %a
; PLAIN-NEXT: store float
; PLAIN-NEXT: ret void
;--- marked.ll
define ptr @host(ptr %a) {
  %x = load float, ptr %a
  store float %x, ptr %a
  ret ptr @kernel
}
define internal void @kernel(ptr %parameters, ptr %launch, i32 %x, i32 %y, i32 %z, ptr %shared) {
  %own = alloca i64
  %number = load i64, ptr %own
  call void @FairleadCheckValue(ptr %launch, i32 7, i64 %number)
  ret void
}
declare void @FairleadCheckValue(ptr, i32, i64)
;--- plain.ll
define void @function(ptr %a) {
  %x = load float, ptr %a
  store float %x, ptr %a
  ret void
}
