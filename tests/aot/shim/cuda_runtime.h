/* The part of the CUDA runtime that the published programs use, for functions compiled for the CPU.
 */
#ifndef FAIRLEAD_TESTS_CUDA_RUNTIME_H
#define FAIRLEAD_TESTS_CUDA_RUNTIME_H
typedef struct CUstream_st *cudaStream_t;
static inline int cudaStreamCreate(cudaStream_t *stream) {
  *stream = 0;
  return 0;
}
static inline int cudaStreamSynchronize(cudaStream_t stream) { return stream ? 1 : 0; }
static inline int cudaStreamDestroy(cudaStream_t stream) { return stream ? 1 : 0; }
#endif
