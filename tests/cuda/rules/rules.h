// SPDX-License-Identifier: Apache-2.0
// Small questions about the rules of CUDA's runtime. Each says what it got, as words in one line, beside the
// answer that an H200 gave (driver 580.159, CUDA 13.0, 2026-11-23). Behind "or" stands what CUDA allows as
// well: a run without time carries work out as it is submitted, so nothing runs beside anything. Each runs in
// a process of its own, since some end with an error that stays.
#pragma once
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

struct Case {
  void (*run)();
  std::string wanted;
};
inline std::map<std::string, Case>& cases() {
  static std::map<std::string, Case> all;
  return all;
}
struct Register {
  Register(const char* name, void (*run)(), const char* wanted) { cases()[name] = {run, wanted}; }
};
#define CASE(name, wanted)                                     \
  static void name();                                          \
  static const Register register_##name(#name, &name, wanted); \
  static void name()

inline std::string said;    // by the case
inline std::string asking;  // its name
inline void say(const std::string& word) { said += (said.empty() ? "" : " ") + word; }
inline void say(cudaError_t status) {
  const std::string name = cudaGetErrorName(status);
  say(name.substr(name.rfind("cudaError", 0) == 0 ? 9 : 4));
}
inline void say(long long number) { say(std::to_string(number)); }
inline void say(int number) { say(std::to_string(number)); }
inline void say(bool holds) { say(std::string(holds ? "yes" : "no")); }
// What must work so that the question can be asked.
#define DO(call)                                                                                    \
  do {                                                                                              \
    const cudaError_t status_ = (call);                                                             \
    if (status_ != cudaSuccess) {                                                                   \
      std::printf("%s|%s:%d: %s\n", asking.c_str(), __FILE__, __LINE__, cudaGetErrorName(status_)); \
      std::fflush(stdout);                                                                          \
      std::_Exit(1);                                                                                \
    }                                                                                               \
  } while (0)

static __global__ void add(int* x, int n) { atomicAdd(x, n); }
static __global__ void twice(int* x) { *x = *x * 2; }
// An address that nobody has; one some GiB behind an array may lie in the window of shared memory.
static __global__ void fault(int*) { *reinterpret_cast<volatile int*>(64) = 1; }
// Long enough that what is asked at once finds it under way.
static __global__ void wait(long long cycles) {
  for (const long long begin = clock64(); clock64() - begin < cycles;) {
  }
}
constexpr long long kLong = 2000000;

inline int* device_int(int value = 0) {
  int* x = nullptr;
  DO(cudaMalloc(&x, sizeof(int)));
  DO(cudaMemcpy(x, &value, sizeof(int), cudaMemcpyHostToDevice));
  return x;
}
inline int* pinned_int() {
  int* x = nullptr;
  DO(cudaMallocHost(&x, sizeof(int)));
  *x = 0;
  return x;
}
inline int value_of(const int* x) {
  int value = -1;
  DO(cudaMemcpy(&value, x, sizeof(int), cudaMemcpyDeviceToHost));
  return value;
}
inline cudaStream_t stream(unsigned flags = cudaStreamNonBlocking) {
  cudaStream_t s = nullptr;
  DO(cudaStreamCreateWithFlags(&s, flags));
  return s;
}
inline cudaEvent_t event(unsigned flags = cudaEventDefault) {
  cudaEvent_t e = nullptr;
  DO(cudaEventCreateWithFlags(&e, flags));
  return e;
}
