// SPDX-License-Identifier: Apache-2.0
// Looks at a program before it runs: whether our runtime can serve it, and what to do where it cannot.
#pragma once
#include <string>

namespace gpuloom::host {

struct Inspection {
  bool elf = false;  // else a script, whose interpreter may load CUDA programs
  // Ours has to be first: the program has a search path of its own, or NVRTC; or it brings CUDA later, as
  // Python does, and may load another library of the same name by its path. libcuda.so.1 would find that one.
  bool preload = false;
  std::string runtime = "libcudart.so.13";  // which of ours it loads
};

// Throws Error: kInput where the file is missing or not a program, kUnsupported for a program that would not
// reach our runtime, each with what to do.
Inspection inspect_program(const std::string& path);

}  // namespace gpuloom::host
