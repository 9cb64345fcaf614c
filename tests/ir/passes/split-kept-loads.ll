; If loads of 16 bytes keep more than 224 registers, they become loads of words, and stores of 16 bytes two of 8. A kernel that
; keeps fewer stays.
; RUN: awk -f %S/../tools/repeat.awk %s | fairlead-llvm-opt - --passes=fairlead-split-kept-loads | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define void @many
; CHECK-NOT: load <4 x float>
; CHECK-COUNT-240: asm sideeffect "ld.global.b32 $0, [$1+{{[0-9]+}}];"
; CHECK-NOT: store <4 x float>
; CHECK: store <2 x float>
; CHECK-NEXT: call void asm sideeffect
; CHECK-NEXT: shufflevector
; CHECK-NEXT: store <2 x float>
; CHECK: ret void
; CHECK-LABEL: define void @few
; CHECK-NOT: asm
; CHECK-COUNT-10: load <4 x float>
; CHECK-COUNT-10: store <4 x float>
define void @many(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  repeat 60 %p# = getelementptr inbounds <4 x float>, ptr addrspace(1) %a, i64 #
  repeat 60 %x# = load <4 x float>, ptr addrspace(1) %p#, align 16
  repeat 60 %q# = getelementptr inbounds <4 x float>, ptr addrspace(1) %b, i64 #
  repeat 60 store <4 x float> %x#, ptr addrspace(1) %q#, align 16
  ret void
}
define void @few(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  repeat 10 %p# = getelementptr inbounds <4 x float>, ptr addrspace(1) %a, i64 #
  repeat 10 %x# = load <4 x float>, ptr addrspace(1) %p#, align 16
  repeat 10 %q# = getelementptr inbounds <4 x float>, ptr addrspace(1) %b, i64 #
  repeat 10 store <4 x float> %x#, ptr addrspace(1) %q#, align 16
  ret void
}
