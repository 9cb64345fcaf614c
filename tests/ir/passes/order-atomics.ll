; Atomic operations with an order, or for the whole system, become PTX that says so; those of 16 bits, and of operations
; that PTX lacks, exchanges that compare. The back end writes the others as they are: relaxed, for the device.
; RUN: fairlead-llvm-opt %s --passes=fairlead-order-atomics | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-v16:16-v32:32-n16:32:64"

; CHECK-LABEL: @orders
; CHECK: asm sideeffect "atom.acq_rel.gpu.add.u32 $0, [$1], $2;", "=r,l,r,~{memory}"
; CHECK: asm sideeffect "atom.release.cta.global.max.s64 $0, [$1], $2;", "=l,l,l,~{memory}"
; CHECK: asm sideeffect "atom.acquire.cluster.shared.add.f32 $0, [$1], $2;", "=f,l,f,~{memory}"
; CHECK: asm sideeffect "atom.relaxed.sys.exch.b32 $0, [$1], $2;", "=r,l,r,~{memory}"
; CHECK-NEXT: bitcast i32
; CHECK: asm sideeffect "atom.acq_rel.sys.and.b32
; CHECK: ret
define void @orders(ptr %a, ptr addrspace(1) %b, ptr addrspace(3) %c, float %number) {
  %1 = atomicrmw add ptr %a, i32 1 syncscope("device") acq_rel
  %2 = atomicrmw max ptr addrspace(1) %b, i64 1 syncscope("block") release
  %3 = atomicrmw fadd ptr addrspace(3) %c, float %number syncscope("cluster") acquire
  %4 = atomicrmw xchg ptr %a, float %number monotonic
  %5 = atomicrmw and ptr %a, i32 1 acq_rel
  ret void
}

; CHECK-LABEL: @exchanges
; CHECK: cmpxchg ptr %a, i16 {{.*}} syncscope("device") acq_rel acquire
; CHECK: cmpxchg ptr %a, i32 {{.*}} syncscope("device") release monotonic
define void @exchanges(ptr %a, half %small, float %number) {
  %1 = atomicrmw fadd ptr %a, half %small syncscope("device") acq_rel
  %2 = atomicrmw fmax ptr %a, float %number syncscope("device") release
  ret void
}

; CHECK-LABEL: @relaxed
; CHECK: atomicrmw add ptr %a, i32 1 syncscope("device") monotonic
; CHECK: atomicrmw add ptr %a, i32 1 syncscope("block") monotonic
define void @relaxed(ptr %a) {
  %1 = atomicrmw add ptr %a, i32 1 syncscope("device") monotonic
  %2 = atomicrmw add ptr %a, i32 1 syncscope("block") monotonic
  ret void
}
