/* Runs kernels.cl through OpenCL, and measures on request.
 *
 *   peer KERNELS INPUT N COLUMNS THREADS OPTIONS
 *
 * INPUT holds 2 N floats, the inputs of the addition; the other kernels read the first N. For each
 * case the fastest of a few kernels and work-group sizes is looked for, as a user would; then it
 * prints "ready", the device's name, and for each case a line: "CASE KERNEL SIZE", and KERNEL:MS of
 * all that were tried, the least of each. Requests, a line each:
 *
 *   time CASE COUNT    seconds of COUNT launches, the last one's end included
 *   save CASE PATH     launches once into a result that held NaN before, and writes it to a file
 *
 * The status is 3 where there is no OpenCL device of a processor.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kAdd, kBlockSums, kSoftmax, kCases, kMostSizes = 5 };
static const char *const kNames[kCases] = {"add", "block_sums", "softmax"};

typedef struct {
  int which;
  const char *kernel;
  size_t items;             /* of the launch */
  size_t sizes[kMostSizes]; /* of the work-groups to try; ends with 0 */
} Candidate;

typedef struct {
  cl_kernel kernel;
  const char *name;
  size_t items, size;
  double seconds;
} Choice;

static cl_context context;
static cl_command_queue queue;
static cl_mem first, second, result;
static float *resultHost;
static Choice chosen[kCases];

static void fail(const char *what, cl_int status) {
  fprintf(stderr, "%s: OpenCL error %d\n", what, status);
  exit(1);
}

static void must(const char *what, cl_int status) {
  if (status != CL_SUCCESS)
    fail(what, status);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static char *readFile(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file) {
    perror(path);
    exit(1);
  }
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  char *text = aligned_alloc(4096, (*size + 1 + 4095) / 4096 * 4096);
  if (!text || fread(text, 1, *size, file) != *size) {
    fprintf(stderr, "%s could not be read\n", path);
    exit(1);
  }
  fclose(file);
  text[*size] = 0;
  return text;
}

static cl_device_id findProcessor(void) {
  cl_platform_id platforms[16];
  cl_uint count = 0;
  if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS)
    count = 0;
  for (cl_uint i = 0; i < count && i < 16; ++i) {
    cl_device_id device;
    if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &device, NULL) == CL_SUCCESS)
      return device;
  }
  fprintf(stderr, "no OpenCL device is a processor\n");
  exit(3);
}

static cl_program build(cl_device_id device, const char *source, const char *options) {
  cl_int status;
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
  must("clCreateProgramWithSource", status);
  status = clBuildProgram(program, 1, &device, options, NULL, NULL);
  if (status != CL_SUCCESS) {
    static char log[16384];
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    fprintf(stderr, "%s\n", log);
    fail("clBuildProgram", status);
  }
  return program;
}

/* The processor's own memory, which the device uses in place. */
static cl_mem buffer(cl_mem_flags flags, size_t bytes, void *memory) {
  cl_int status;
  cl_mem made = clCreateBuffer(context, flags | CL_MEM_USE_HOST_PTR, bytes, memory, &status);
  must("clCreateBuffer", status);
  return made;
}

static double seconds(const Choice *choice, long count) {
  const double start = now();
  for (long i = 0; i < count; ++i)
    must("clEnqueueNDRangeKernel",
         clEnqueueNDRangeKernel(queue, choice->kernel, 1, NULL, &choice->items, &choice->size, 0,
                                NULL, NULL));
  must("clFinish", clFinish(queue));
  return now() - start;
}

/* The least seconds of a launch. */
static double consider(cl_program program, const Candidate *candidate) {
  cl_int status;
  double least = 1e30;
  for (const size_t *size = candidate->sizes; *size; ++size) {
    Choice choice = {.name = candidate->kernel, .items = candidate->items, .size = *size};
    if (choice.items % choice.size)
      continue;
    choice.kernel = clCreateKernel(program, candidate->kernel, &status);
    must("clCreateKernel", status);
    cl_uint argument = 0;
    clSetKernelArg(choice.kernel, argument++, sizeof first, &first);
    if (candidate->which == kAdd)
      clSetKernelArg(choice.kernel, argument++, sizeof second, &second);
    must("clSetKernelArg", clSetKernelArg(choice.kernel, argument, sizeof result, &result));
    seconds(&choice, 1); /* compiles it for this size */
    choice.seconds = seconds(&choice, 1);
    for (int again = 0; again < 4; ++again) {
      const double taken = seconds(&choice, 1);
      if (taken < choice.seconds)
        choice.seconds = taken;
    }
    if (choice.seconds < least)
      least = choice.seconds;
    Choice *best = &chosen[candidate->which];
    if (!best->kernel || choice.seconds < best->seconds)
      *best = choice;
  }
  return least;
}

static const Choice *named(const char *name) {
  for (int i = 0; i < kCases; ++i)
    if (!strcmp(name, kNames[i]))
      return &chosen[i];
  fprintf(stderr, "no case %s\n", name);
  exit(2);
}

static void save(const char *name, const char *path, size_t bytes) {
  cl_int status;
  float *values =
      clEnqueueMapBuffer(queue, result, CL_TRUE, CL_MAP_WRITE, 0, bytes, 0, NULL, NULL, &status);
  must("clEnqueueMapBuffer", status);
  memset(values, 0xff, bytes);
  must("clEnqueueUnmapMemObject", clEnqueueUnmapMemObject(queue, result, values, 0, NULL, NULL));
  seconds(named(name), 1);
  values =
      clEnqueueMapBuffer(queue, result, CL_TRUE, CL_MAP_READ, 0, bytes, 0, NULL, NULL, &status);
  must("clEnqueueMapBuffer", status);
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(values, 1, bytes, file) != bytes || fclose(file)) {
    perror(path);
    exit(1);
  }
  must("clEnqueueUnmapMemObject", clEnqueueUnmapMemObject(queue, result, values, 0, NULL, NULL));
  must("clFinish", clFinish(queue));
}

int main(int argc, char **argv) {
  if (argc != 7) {
    fprintf(stderr, "usage: peer KERNELS INPUT N COLUMNS THREADS OPTIONS\n");
    return 2;
  }
  const size_t n = strtoul(argv[3], NULL, 10), bytes = n * sizeof(float);
  const size_t columns = strtoul(argv[4], NULL, 10), threads = strtoul(argv[5], NULL, 10);
  cl_int status;
  cl_device_id device = findProcessor();
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  must("clCreateContext", status);
  queue = clCreateCommandQueue(context, device, 0, &status);
  must("clCreateCommandQueue", status);

  size_t size;
  char *input = readFile(argv[2], &size);
  if (!n || size != 2 * bytes || bytes % 4096) {
    fprintf(stderr, "%s holds %zu bytes, not 2 x %zu\n", argv[2], size, bytes);
    return 2;
  }
  resultHost = aligned_alloc(4096, bytes);
  first = buffer(CL_MEM_READ_ONLY, bytes, input);
  second = buffer(CL_MEM_READ_ONLY, bytes, input + bytes);
  result = buffer(CL_MEM_WRITE_ONLY, bytes, resultHost);

  char options[512];
  snprintf(options, sizeof options, "-DTHREADS=%zu -DCOLUMNS=%zu %s", threads, columns, argv[6]);
  cl_program program = build(device, readFile(argv[1], &size), options);
  const Candidate candidates[] = {
      {kAdd, "add1", n, {64, 256, 1024, 4096}},
      {kAdd, "add4", n / 4, {64, 256, 1024, 4096}},
      {kAdd, "add16", n / 16, {64, 256, 1024, 4096}},
      {kBlockSums, "block_sums_tree", n, {threads}},
      {kBlockSums, "block_sums_wide", n / threads, {1, 16, 64, 256}},
      {kSoftmax, "softmax_tree", n / columns * threads, {threads}},
      {kSoftmax, "softmax_wide", n / columns, {1, 4, 16, 64}},
  };
  enum { kCandidates = sizeof candidates / sizeof *candidates };
  double least[kCandidates];
  for (int i = 0; i < kCandidates; ++i)
    least[i] = consider(program, &candidates[i]);

  char name[256] = "";
  clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof name, name, NULL);
  printf("ready %s\n", name);
  for (int i = 0; i < kCases; ++i) {
    printf("%s %s %zu", kNames[i], chosen[i].name, chosen[i].size);
    for (int other = 0; other < kCandidates; ++other)
      if (candidates[other].which == i)
        printf(" %s:%.2f", candidates[other].kernel, 1e3 * least[other]);
    printf("\n");
  }
  fflush(stdout);

  char line[4096], verb[8], which[32], rest[2048];
  while (fgets(line, sizeof line, stdin)) {
    if (sscanf(line, "%7s %31s %2047s", verb, which, rest) != 3) {
      fprintf(stderr, "not a request: %s", line);
      return 2;
    }
    if (!strcmp(verb, "save")) {
      save(which, rest, which[0] == 'b' ? bytes / threads : bytes);
      printf("saved\n");
    } else {
      printf("%.9f\n", seconds(named(which), strtol(rest, NULL, 10)));
    }
    fflush(stdout);
  }
  return 0;
}
