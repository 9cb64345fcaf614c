; Divisions of 128 bits are loops; those of 64 bits stay instructions.
; RUN: fairlead-llvm-opt %s --passes=fairlead-expand-wide-divisions | FileCheck %s

; CHECK-LABEL: define i128 @wide
; CHECK-NOT: udiv i128
; CHECK: udiv-do-while:
; CHECK: ret i128
define i128 @wide(i128 %x, i128 %y) {
  %quotient = udiv i128 %x, %y
  ret i128 %quotient
}

; CHECK-LABEL: define i128 @rest
; CHECK-NOT: srem i128
; CHECK: ret i128
define i128 @rest(i128 %x, i128 %y) {
  %rest = srem i128 %x, %y
  ret i128 %rest
}

; CHECK-LABEL: define i64 @narrow
; CHECK-NEXT: sdiv i64 %x, %y
define i64 @narrow(i64 %x, i64 %y) {
  %quotient = sdiv i64 %x, %y
  ret i64 %quotient
}
