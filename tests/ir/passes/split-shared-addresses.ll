; The number in a swizzled address of shared memory is added last, where instructions take it as an offset. Addresses in global
; memory, and numbers that the swizzle may turn, stay.
; RUN: fairlead-llvm-opt %s --passes=fairlead-split-shared-addresses | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; (x + 4096) ^ ((x >> 3) & 56), with x below 4096
; CHECK-LABEL: define float @swizzled
; CHECK: %[[TURNED:.*]] = xor i64
; CHECK-NOT: 4096
; CHECK: %[[REST:.*]] = getelementptr i8, ptr addrspace(3) %tile, i64 %[[TURNED]]
; CHECK-NEXT: %[[ADDRESS:.*]] = getelementptr i8, ptr addrspace(3) %[[REST]], i64 4096
; CHECK-NEXT: load float, ptr addrspace(3) %[[ADDRESS]]
define float @swizzled(ptr addrspace(3) %tile, i64 %n) {
  %x = and i64 %n, 4095
  %far = or disjoint i64 %x, 4096
  %shifted = lshr i64 %x, 3
  %bits = and i64 %shifted, 56
  %place = xor i64 %far, %bits
  %p = getelementptr i8, ptr addrspace(3) %tile, i64 %place
  %y = load float, ptr addrspace(3) %p
  ret float %y
}

; CHECK-LABEL: define float @global
; CHECK: or disjoint i64 %x, 4096
; CHECK: getelementptr i8, ptr addrspace(1) %tile, i64 %place
define float @global(ptr addrspace(1) %tile, i64 %n) {
  %x = and i64 %n, 4095
  %far = or disjoint i64 %x, 4096
  %shifted = lshr i64 %x, 3
  %bits = and i64 %shifted, 56
  %place = xor i64 %far, %bits
  %p = getelementptr i8, ptr addrspace(1) %tile, i64 %place
  %y = load float, ptr addrspace(1) %p
  ret float %y
}

; CHECK-LABEL: define float @turned
; CHECK: add i64 %n, 8
; CHECK: xor i64
; CHECK-NEXT: getelementptr i8, ptr addrspace(3) %tile, i64 %place
; CHECK-NEXT: load
define float @turned(ptr addrspace(3) %tile, i64 %n, i64 %m) {
  %far = add i64 %n, 8
  %place = xor i64 %far, %m
  %p = getelementptr i8, ptr addrspace(3) %tile, i64 %place
  %y = load float, ptr addrspace(3) %p
  ret float %y
}
