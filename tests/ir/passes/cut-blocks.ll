; A block of more than 512 instructions is cut behind the 511th one. A shorter block stays whole.
; RUN: awk -f %S/../tools/repeat.awk %s | fairlead-llvm-opt - --passes=fairlead-cut-blocks | FileCheck %s

; CHECK-LABEL: define i32 @long
; CHECK-COUNT-511: = add i32
; CHECK-NEXT: br label %[[REST:.*]]
; CHECK: [[REST]]:
; CHECK-COUNT-89: = add i32
; CHECK-NEXT: ret i32
define i32 @long(i32 %x0) {
  repeat 600 %x#+1 = add i32 %x#, #
  ret i32 %x600
}

; CHECK-LABEL: define i32 @short
; CHECK-NEXT: add i32
; CHECK-NEXT: ret i32
define i32 @short(i32 %x) {
  %y = add i32 %x, 1
  ret i32 %y
}
