; Neighbouring additions become vectors, but not in a function with a block of more than 1,536 instructions.
; RUN: awk '/^;MORE/ { for (i = 0; i < 1600; ++i) print "store volatile i8 0, ptr %%p" } { print }' %s > %t.ll
; RUN: fairlead-llvm-opt %s --passes=slp-vectorizer --slp-threshold=-10 --slp-max-reg-size=128 | FileCheck %s --check-prefix=SHORT
; RUN: fairlead-llvm-opt %t.ll --passes=slp-vectorizer --slp-threshold=-10 --slp-max-reg-size=128 | FileCheck %s --check-prefix=LONG

target triple = "x86_64-unknown-linux-gnu"

; SHORT: fadd <2 x double>
; LONG-NOT: fadd <2 x double>
define void @add(ptr %p, ptr %a, ptr %b) {
  %a0 = load double, ptr %a
  %b0 = load double, ptr %b
  %a.1 = getelementptr double, ptr %a, i64 1
  %b.1 = getelementptr double, ptr %b, i64 1
  %a1 = load double, ptr %a.1
  %b1 = load double, ptr %b.1
  %s0 = fadd double %a0, %b0
  %s1 = fadd double %a1, %b1
  store double %s0, ptr %p
  %p.1 = getelementptr double, ptr %p, i64 1
  store double %s1, ptr %p.1
;MORE
  ret void
}
