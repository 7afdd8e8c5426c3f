// SPDX-License-Identifier: Apache-2.0
// What the probes that run a list of cases share, on CUDA's driver API: a device, modules, and cases in child
// processes, because a fault or a hang ends the CUDA context for good.
#pragma once
#include <cuda.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#define CHECK(call)                                                               \
  if (const CUresult code_ = (call); code_ != CUDA_SUCCESS) {                     \
    std::fprintf(stderr, "%s: error %d, line %d\n", #call, (int)code_, __LINE__); \
    std::exit(2);                                                                 \
  }

// Makes the first GPU's primary context current.
inline void open_device() {
  CHECK(cuInit(0));
  CUdevice device;
  CUcontext context;
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
}

inline std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(file)), {});
}

// A module from a file of PTX or a cubin.
inline CUmodule load_module(const std::string& path) {
  CUmodule module;
  CHECK(cuModuleLoadData(&module, text_of(path).c_str()));
  return module;
}

// Number of `value` in `names`; ends the probe where it is not there.
inline int index_of(const std::string& value, std::initializer_list<const char*> names) {
  int i = 0;
  for (const char* name : names) {
    if (value == name) return i;
    ++i;
  }
  std::fprintf(stderr, "unknown %s\n", value.c_str());
  std::exit(2);
}

// Runs the lines of `cases` in order. `run(lines, first, results, raw)` runs them from `first` on in a child
// process, until one faults, and says which is next. Returns the probe's exit code.
template <class Run>
int run_cases(const char* cases, const char* results_path, const char* raw_path, Run&& run) {
  std::vector<std::string> lines;
  std::ifstream file(cases);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  FILE* results = std::fopen(results_path, "w");
  FILE* raw = std::fopen(raw_path, "wb");
  for (size_t next = 0; next < lines.size();) {
    int ends[2];
    if (pipe(ends) != 0) return 2;
    std::fflush(results), std::fflush(raw);
    const pid_t child = fork();
    if (child == 0) {
      const size_t reached = run(lines, next, results, raw);
      std::fflush(results), std::fflush(raw);
      if (write(ends[1], &reached, sizeof reached) != sizeof reached) _exit(2);
      _exit(0);
    }
    close(ends[1]);
    size_t reached = 0;
    const bool ok = read(ends[0], &reached, sizeof reached) == sizeof reached;
    close(ends[0]);
    waitpid(child, nullptr, 0);
    if (!ok) {
      std::fprintf(stderr, "a child died after case %zu\n", next);
      return 2;
    }
    next = reached;
  }
  std::fclose(results), std::fclose(raw);
  return 0;
}
