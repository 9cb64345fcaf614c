// Functions get debug information at their first source location: line tables for CPUs, directives for PTX. An operation of
// another file has a scope of that file, one without a location that of its function. Declarations get nothing.
// RUN: fairlead-opt %s --fairlead-line-info-cpu --mlir-print-debuginfo | FileCheck %s --check-prefixes=CHECK,CPU
// RUN: fairlead-opt %s --fairlead-line-info-cuda --mlir-print-debuginfo | FileCheck %s --check-prefixes=CHECK,CUDA

// CHECK: llvm.func @declared(!llvm.ptr) loc(#[[NONE:loc[0-9]*]])
// CHECK: llvm.func @function
// CHECK: llvm.mlir.constant(1 : i32) : i32 loc(#[[HERE:loc[0-9]*]])
// CHECK: llvm.store {{.*}} loc(#[[ELSEWHERE:loc[0-9]*]])
// CHECK: llvm.return loc(#[[HERE]])
// CHECK-DAG: #[[HERE]] = loc("/home/user/k.py":5:3)
// CHECK-DAG: #[[HELPER:.*]] = #llvm.di_file<"helper.py" in "/home/user">
// CHECK-DAG: #[[NONE]] = loc(unknown)
// CPU-DAG: emissionKind = LineTablesOnly
// CUDA-DAG: emissionKind = DebugDirectivesOnly
// CHECK-DAG: #[[SCOPE:.*]] = #llvm.di_lexical_block_file<{{.*}}file = #[[HELPER]]
// CHECK-DAG: #[[ELSEWHERE]] = loc(fused<#[[SCOPE]]>[
// CHECK-DAG: #llvm.di_subprogram<{{.*}}name = "function", linkageName = "function", {{.*}}line = 5, scopeLine = 5,
llvm.func @declared(!llvm.ptr) loc(unknown)
llvm.func @function(%out: !llvm.ptr) {
  %one = llvm.mlir.constant(1 : i32) : i32 loc("/home/user/k.py":5:3)
  llvm.store %one, %out : i32, !llvm.ptr loc("/home/user/helper.py":9:1)
  llvm.return loc(unknown)
} loc(unknown)
