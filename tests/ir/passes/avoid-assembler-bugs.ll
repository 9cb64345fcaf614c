; Negations, absolute values and minima that ptxas compiles wrongly are written as text. Negations elsewhere, and absolute values of
; 32 bits, stay.
; RUN: fairlead-llvm-opt %s --passes=fairlead-avoid-assembler-bugs | FileCheck %s

; CHECK-LABEL: define i64 @wide_abs
; CHECK-NEXT: call i64 asm "{ .reg .b64 minus; neg.s64 minus, $1; max.s64 $0, $1, minus; }", "=l,l"(i64 %x)
define i64 @wide_abs(i64 %x) {
  %y = call i64 @llvm.abs.i64(i64 %x, i1 false)
  ret i64 %y
}

; CHECK-LABEL: define i32 @abs
; CHECK-NEXT: call i32 @llvm.abs.i32(
define i32 @abs(i32 %x) {
  %y = call i32 @llvm.abs.i32(i32 %x, i1 false)
  ret i32 %y
}

; CHECK-LABEL: define i16 @narrow
; CHECK-NEXT: call i16 asm "not.b16 $0, $1; add.s16 $0, $0, 1;", "=&h,h"(i16 %x)
; CHECK-NEXT: call i16 asm "{ .reg .b16 minus;
define i16 @narrow(i16 %x) {
  %minus = sub i16 0, %x
  %y = call i16 @llvm.abs.i16(i16 %minus, i1 false)
  ret i16 %y
}

; CHECK-LABEL: define i32 @minimum
; CHECK: %[[MINUS:.*]] = call i32 asm "not.b32 $0, $1; add.s32 $0, $0, 1;", "=&r,r"(i32 %y)
; CHECK-NEXT: call i32 @llvm.smin.i32(i32 %x, i32 %[[MINUS]])
define i32 @minimum(i32 %x, i32 %y) {
  %minus = sub i32 0, %y
  %least = call i32 @llvm.smin.i32(i32 %x, i32 %minus)
  ret i32 %least
}

; CHECK-LABEL: define i32 @shifted
; CHECK: %[[MINUS:.*]] = call i32 asm
; CHECK-NEXT: ashr i32 %[[MINUS]], 3
define i32 @shifted(i32 %x) {
  %minus = sub i32 0, %x
  %y = ashr i32 %minus, 3
  ret i32 %y
}

; CHECK-LABEL: define i32 @sum
; CHECK-NEXT: sub i32 0, %x
; CHECK-NEXT: add i32
define i32 @sum(i32 %x, i32 %y) {
  %minus = sub i32 0, %x
  %sum = add i32 %minus, %y
  ret i32 %sum
}
