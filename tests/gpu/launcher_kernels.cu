// Device code of test_cubin_launcher.py, compiled to a CUBIN.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define HAS_CLUSTERS 1
#else
#define HAS_CLUSTERS 0
#endif

extern "C" {

__global__ void add_one(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] + 1.0f;
}

// Through dynamic shared memory from end to end: y is x in reverse.
__global__ void reverse(const float *x, float *y, int n) {
  extern __shared__ float tile[];
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    tile[n - 1 - i] = x[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    y[i] = tile[i];
}

// 4000 bytes of static shared memory.
__global__ void fixed_shared(const float *x, float *y, int n) {
  __shared__ float tile[1000];
  tile[threadIdx.x] = x[threadIdx.x % n];
  __syncthreads();
  y[threadIdx.x % n] = tile[(threadIdx.x + 1) % blockDim.x];
}

#if HAS_CLUSTERS
// Each block's rank in its cluster and the cluster's dimensions, four numbers a block.
__global__ void cluster(const float *, float *y, int) {
  unsigned rank, x, width, height;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm volatile("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(width));
  asm volatile("mov.u32 %0, %%cluster_nctaid.y;" : "=r"(height));
  asm volatile("mov.u32 %0, %%cluster_nctaid.z;" : "=r"(x));
  unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  if (threadIdx.x == 0) {
    y[4 * block] = rank;
    y[4 * block + 1] = width;
    y[4 * block + 2] = height;
    y[4 * block + 3] = x;
  }
}

#endif

// All blocks wait for each other, twice.
__global__ void barrier(const float *, float *y, int n) {
  for (int round = 1; round <= 2; ++round) {
    __syncthreads();
    if (threadIdx.x == 0) {
      atomicAdd(y, 1.0f);
      while (atomicAdd(y, 0.0f) < round * static_cast<float>(gridDim.x)) {
      }
    }
    __syncthreads();
  }
}

#if HAS_CLUSTERS
// Waits for the launch before it, then adds.
__global__ void dependent(const float *x, float *y, int n) {
  asm volatile("griddepcontrol.wait;" ::: "memory");
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] += x[i];
}
#endif
}
