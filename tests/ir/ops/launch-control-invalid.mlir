// RUN: fairlead-opt %s -split-input-file -verify-diagnostics

func.func @in_another_block(%to: !llvm.ptr<7>, %bar: !llvm.ptr<3>) {
  // expected-error@+1 {{operand #0 must be an address in this block's shared memory, but got '!llvm.ptr<7>'}}
  fairlead.try_cancel %to at %bar : !llvm.ptr<7>, !llvm.ptr<3>
  return
}

// -----

func.func @anywhere(%to: !llvm.ptr<3>, %bar: !llvm.ptr) {
  // expected-error@+1 {{operand #1 must be an address in this block's shared memory, but got '!llvm.ptr'}}
  fairlead.try_cancel %to at %bar multicast : !llvm.ptr<3>, !llvm.ptr
  return
}

// -----

func.func @of_two_words(%words: vector<2xi32>) {
  // expected-error@+1 {{operand #0 must be vector of 32-bit signless integer values of length 4, but got 'vector<2xi32>'}}
  %x, %y, %z, %is = fairlead.query_cancel %words : vector<2xi32>
  return
}
