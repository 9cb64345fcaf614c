// RUN: fairlead-opt %s -split-input-file -verify-diagnostics

func.func @init(%bar: !llvm.ptr, %n: i32) {
  // expected-error@+1 {{operand #0 must be an address in shared memory, but got '!llvm.ptr'}}
  fairlead.mbarrier.init %bar, %n : !llvm.ptr
  return
}

// -----

func.func @init_of_a_number(%bar: !llvm.ptr<3>, %n: i64) {
  // expected-error@+1 {{operand #1 must be 32-bit signless integer, but got 'i64'}}
  "fairlead.mbarrier.init"(%bar, %n) : (!llvm.ptr<3>, i64) -> ()
  return
}

// -----

func.func @arrive(%bar: !llvm.ptr<1>, %n: i32) {
  // expected-error@+1 {{operand #0 must be an address in shared memory, but got '!llvm.ptr<1>'}}
  fairlead.mbarrier.arrive %bar, %n : !llvm.ptr<1>
  return
}

// -----

func.func @arrive_expect(%bar: !llvm.ptr, %n: i32) {
  // expected-error@+1 {{operand #0 must be an address in shared memory}}
  fairlead.mbarrier.arrive_expect %bar, %n : !llvm.ptr
  return
}

// -----

func.func @expect(%bar: !llvm.ptr, %n: i32) {
  // expected-error@+1 {{operand #0 must be an address in shared memory}}
  fairlead.mbarrier.expect %bar, %n : !llvm.ptr
  return
}

// -----

func.func @arrive_after_copies(%bar: !llvm.ptr) {
  // expected-error@+1 {{operand #0 must be an address in shared memory}}
  fairlead.mbarrier.arrive_after_copies %bar : !llvm.ptr
  return
}

// -----

func.func @wait(%bar: !llvm.ptr, %n: i32) {
  // expected-error@+1 {{operand #0 must be an address in shared memory}}
  fairlead.mbarrier.wait %bar, %n : !llvm.ptr
  return
}

// -----

func.func @test(%bar: !llvm.ptr, %n: i32) {
  // expected-error@+1 {{operand #0 must be an address in shared memory}}
  %ended = fairlead.mbarrier.test %bar, %n : !llvm.ptr
  return
}

// -----

func.func @fence(%n: i32) {
  // expected-error@+1 {{op requires zero operands}}
  "fairlead.cluster_fence"(%n) : (i32) -> ()
  return
}

// -----

func.func @store_async(%x: i16, %bar: !llvm.ptr<3>, %block: i32) {
  // expected-error@+1 {{operand #0 must be a number of 32 or 64 bits, but got 'i16'}}
  fairlead.store_async %x, %bar, %bar of %block : i16, !llvm.ptr<3>, !llvm.ptr<3>
  return
}
