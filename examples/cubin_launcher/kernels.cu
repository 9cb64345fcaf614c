// Device code alone.
extern "C" __global__ void add_one(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] + 1.0f;
}

// The sum of n floats, by one block whose threads each keep a part in dynamic shared memory.
extern "C" __global__ void sum(const float *x, float *y, int n) {
  extern __shared__ float parts[];
  float part = 0.0f;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    part += x[i];
  parts[threadIdx.x] = part;
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half)
      parts[threadIdx.x] += parts[threadIdx.x + half];
  }
  if (threadIdx.x == 0)
    *y = parts[0];
}
