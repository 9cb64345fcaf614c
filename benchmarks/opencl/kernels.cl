// The kernels of throughput.py as a user of OpenCL writes them: first as for a GPU, then as for a processor, whose work
// items do more each. THREADS and COLUMNS are given by the build.

__kernel void add1(__global const float *a, __global const float *b, __global float *c) {
  const size_t i = get_global_id(0);
  c[i] = a[i] + b[i];
}

__kernel void add4(__global const float4 *a, __global const float4 *b, __global float4 *c) {
  const size_t i = get_global_id(0);
  c[i] = a[i] + b[i];
}

__kernel void add16(__global const float16 *a, __global const float16 *b, __global float16 *c) {
  const size_t i = get_global_id(0);
  c[i] = a[i] + b[i];
}

__kernel void block_sums_tree(__global const float *a, __global float *sums) {
  __local float tile[THREADS];
  const int thread = get_local_id(0);
  tile[thread] = a[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = THREADS / 2; step > 0; step /= 2) {
    if (thread < step)
      tile[thread] += tile[thread + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (thread == 0)
    sums[get_group_id(0)] = tile[0];
}

float sumOf(float16 values) {
  const float8 eight = values.lo + values.hi;
  const float4 four = eight.lo + eight.hi;
  const float2 two = four.lo + four.hi;
  return two.x + two.y;
}

float largestOf(float16 values) {
  const float8 eight = fmax(values.lo, values.hi);
  const float4 four = fmax(eight.lo, eight.hi);
  const float2 two = fmax(four.lo, four.hi);
  return fmax(two.x, two.y);
}

/// A work item for each block.
__kernel void block_sums_wide(__global const float16 *a, __global float *sums) {
  const size_t block = get_global_id(0);
  __global const float16 *from = a + block * (THREADS / 16);
  float16 sum = 0.0f;
  for (int i = 0; i < THREADS / 16; ++i)
    sum += from[i];
  sums[block] = sumOf(sum);
}

float reduceTree(__local float *tile, int thread, float value, bool largest) {
  tile[thread] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = THREADS / 2; step > 0; step /= 2) {
    if (thread < step) {
      const float other = tile[thread + step];
      tile[thread] = largest ? fmax(tile[thread], other) : tile[thread] + other;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  const float result = tile[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  return result;
}

__kernel void softmax_tree(__global const float *x, __global float *y) {
  __local float tile[THREADS];
  const int thread = get_local_id(0);
  __global const float *from = x + get_group_id(0) * COLUMNS;
  __global float *to = y + get_group_id(0) * COLUMNS;
  float largest = -3.4e38f;
  for (int j = thread; j < COLUMNS; j += THREADS)
    largest = fmax(largest, from[j]);
  largest = reduceTree(tile, thread, largest, true);
  float total = 0.0f;
  for (int j = thread; j < COLUMNS; j += THREADS)
    total += exp(from[j] - largest);
  total = reduceTree(tile, thread, total, false);
  for (int j = thread; j < COLUMNS; j += THREADS)
    to[j] = exp(from[j] - largest) / total;
}

/// A work item for each row.
__kernel void softmax_wide(__global const float16 *x, __global float16 *y) {
  const size_t row = get_global_id(0);
  __global const float16 *from = x + row * (COLUMNS / 16);
  __global float16 *to = y + row * (COLUMNS / 16);
  float16 most = from[0], sum = 0.0f;
  for (int j = 1; j < COLUMNS / 16; ++j)
    most = fmax(most, from[j]);
  const float largest = largestOf(most);
  for (int j = 0; j < COLUMNS / 16; ++j)
    sum += exp(from[j] - largest);
  const float total = sumOf(sum);
  for (int j = 0; j < COLUMNS / 16; ++j)
    to[j] = exp(from[j] - largest) / total;
}
