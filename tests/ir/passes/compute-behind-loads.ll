; Numbers that are used only behind a load from tensor memory are computed behind it, in their order. Its address, what
; other instructions before it use, what phis of the block read, and divisions stay.
; ptxas leaves loops of such kernels as they are.
; RUN: fairlead-llvm-opt %s --passes=fairlead-compute-behind-loads | FileCheck %s
; RUN: fairlead-llvm-opt %s --passes=fairlead-keep-loops | FileCheck %s --check-prefix=KEEP

; KEEP: module asm ".pragma \22nounroll\22;"

; CHECK-LABEL: @rows
; CHECK: loop:
; CHECK-NEXT: %i = phi
; CHECK-NEXT: %tile = udiv i32 %i, %pitch
; CHECK-NEXT: %address = shl i32 %i, 7
; CHECK-NEXT: %parity = and i32 %i, 1
; CHECK-NEXT: call void asm sideeffect "wait $0;"
; CHECK-NEXT: %next = add i32 %i, 1
; CHECK-NEXT: %loaded = call { i32, i32 } asm sideeffect "tcgen05.ld
; CHECK-NEXT: %row = mul i32 %tile, %pitch
; CHECK-NEXT: %to = getelementptr i8, ptr %out, i32 %row
; CHECK-NEXT: %value = extractvalue { i32, i32 } %loaded, 0
define void @rows(ptr %out, i32 %pitch, i32 %count) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %tile = udiv i32 %i, %pitch
  %row = mul i32 %tile, %pitch
  %address = shl i32 %i, 7
  %to = getelementptr i8, ptr %out, i32 %row
  %parity = and i32 %i, 1
  call void asm sideeffect "wait $0;", "r"(i32 %parity)
  %next = add i32 %i, 1
  %loaded = call { i32, i32 } asm sideeffect "tcgen05.ld.sync.aligned.32x32b.x2.b32 {$0, $1}, [$2];", "=r,=r,r"(i32 %address)
  %value = extractvalue { i32, i32 } %loaded, 0
  store i32 %value, ptr %to
  %more = icmp slt i32 %next, %count
  br i1 %more, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: @other_loads
; CHECK-NEXT: %row = mul i32 %i, %pitch
; CHECK-NEXT: %loaded = load i32
define i32 @other_loads(ptr %from, i32 %pitch, i32 %i) {
  %row = mul i32 %i, %pitch
  %loaded = load i32, ptr %from
  %sum = add i32 %row, %loaded
  ret i32 %sum
}
