; Our mathematical functions are declared without effects and with their forms for vectors, and defined after the optimisation, as
; internal functions that are inlined. Functions of others stay declarations.
; RUN: fairlead-llvm-opt %s --passes=fairlead-declare-math | FileCheck %s --check-prefix=DECLARED
; RUN: fairlead-llvm-opt %s --passes=fairlead-declare-math,fairlead-define-math | FileCheck %s --check-prefix=DEFINED
target triple = "x86_64-unknown-linux-gnu"

; DECLARED: declare float @FairleadMath_expf(float) #[[MATH:[0-9]+]]
; DECLARED: declare float @other(float){{$}}
; DECLARED: call float @FairleadMath_expf(float %x) #[[CALL:[0-9]+]]
; DECLARED-NEXT: call float @other(float %y){{$}}
; DECLARED: attributes #[[MATH]] = { {{.*}}memory(none)
; DECLARED: attributes #[[CALL]] = { "vector-function-abi-variant"="_ZGV
; DEFINED: declare float @other(float)
; DEFINED: define float @call
; DEFINED-NOT: call float @FairleadMath_expf
; DEFINED: call float @other(float
declare float @FairleadMath_expf(float)
declare float @other(float)
define float @call(float %x) {
  %y = call float @FairleadMath_expf(float %x)
  %z = call float @other(float %y)
  ret float %z
}
