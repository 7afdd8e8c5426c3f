// SPDX-License-Identifier: Apache-2.0
// PTX from whatever holds it: a PTX file, CUDA C++ (by the machine's compiler), an executable, object,
// library, fatbin or cubin.
#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/frontend/content.h"
#include "sim/frontend/fatbin.h"

namespace gpuloom::frontend {

struct PtxRequest {
  std::string target;  // of the device: "sm_90a"; "" takes the newest image of a fatbin
  std::string kernel;  // of several modules in one file, the one that has it; "": the only one with kernels
  std::vector<std::string> compiler_arguments;
  std::vector<std::string> link;  // files with what the first one declares .extern
};

struct PtxSource {
  std::string text;
  std::string name;  // what messages call it: the path, with a word on where in it the PTX was
  Content content = Content::kPtx;
  std::string note;     // what the user should know of the choice, or ""
  bool linked = false;  // of several units
};

// Throws Error: kInput where the file has no PTX for the target (with the flag that would put it there),
// kUsage where it has several modules and `kernel` does not choose, or where a compiler is missing.
PtxSource read_ptx(const std::string& path, const PtxRequest& request);

// Every module of the bytes of a file: one of PTX or CUDA C++; of a program one for each translation unit
// with kernels, linked with the units that it needs.
std::vector<PtxSource> modules_of(std::string data, const std::string& path, const PtxRequest& request);

// The PTX of a program whose translation units these fatbins are, the best image of each for the target; of
// several units the texts are linked; `wanted` as link_ptx takes it. Throws Error (kInput) where no unit has
// any.
std::string linked_ptx(const std::vector<Fatbin>& units, const std::string& path, const PtxRequest& request,
                       const std::set<std::string>& wanted);

// Names of the entries that a text defines, without parsing it.
std::vector<std::string> entry_names(std::string_view ptx);

}  // namespace gpuloom::frontend
