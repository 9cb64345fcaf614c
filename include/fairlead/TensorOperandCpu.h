/// Further forms of operands of FairleadCpuTensorMemoryMma and FairleadCpuTensorMemoryScaledMma;
/// TensorMemoryCpu.h lists the others. Numbers are part of exported objects.
#pragma once

/// A further flag of FairleadTensorProduct: A is in tensor memory, and `a` its address.
enum { kFairleadProductOfTensorA = 16 };
/// Added to `types` of FairleadCpuTensorMemoryScaledMma: K is 96, and rows may go on in another
/// buffer, where bit 52 of a descriptor says that it tells of one.
enum { kFairleadProductIsLong = 1 << 25 };
/// A further FairleadMmaType: two floats of 4 bits in a byte, 96 along K.
enum { kFairleadMmaE2M1Long = 15 };
