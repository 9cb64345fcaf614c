; The bits of a kernel's shared memory are as far behind those of its first byte as the address is; memory of the caller has all its
; values. What memory a loaded address of shared memory is in the runtime says.
; RUN: fairlead-llvm-opt %s --passes=fairlead-place-shadows | FileCheck %s

; CHECK-LABEL: define internal void @kernel
; CHECK: %[[BITS:.*]] = call ptr @FairleadCheckSharedShadow(ptr %launch, ptr %shared)
; CHECK: getelementptr i8, ptr %[[BITS]], i64 %{{.*}}
; CHECK-NOT: call { ptr, ptr } @FairleadCheckLoadShadow4(ptr %place)
; CHECK-NOT: call { ptr, ptr } @FairleadCheckLoadShadow4(ptr %parameters)
; CHECK: store i32 0, ptr %out
; CHECK: call { ptr, ptr } @FairleadCheckLoadShadow4(ptr %unknown)
@address = global ptr @kernel
define internal void @kernel(ptr %parameters, ptr %launch, i32 %x, i32 %y, i32 %z, ptr %shared) {
  %out = load ptr, ptr %parameters
  %place = getelementptr i8, ptr %shared, i64 16
  %hook = call { ptr, ptr } @FairleadCheckLoadShadow4(ptr %place)
  %bits = extractvalue { ptr, ptr } %hook, 0
  %value = load i32, ptr %bits
  store i32 %value, ptr %out
  %caller = call { ptr, ptr } @FairleadCheckLoadShadow4(ptr %parameters)
  %clear = extractvalue { ptr, ptr } %caller, 0
  %none = load i32, ptr %clear
  store i32 %none, ptr %out
  %unknown = load ptr, ptr %shared
  %asked = call { ptr, ptr } @FairleadCheckLoadShadow4(ptr %unknown)
  %found = extractvalue { ptr, ptr } %asked, 0
  %some = load i32, ptr %found
  store i32 %some, ptr %out
  ret void
}
declare { ptr, ptr } @FairleadCheckLoadShadow4(ptr)
