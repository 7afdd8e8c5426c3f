// SPDX-License-Identifier: Apache-2.0
// The instruction conformance suite: single-instruction kernels with inputs and the results of silicon
// (tests/conformance/README.md).
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/validation/conformance_compare.h"

namespace gpuloom::validation {

struct ConformanceCase {
  std::string id, group, kernel, module;
  std::vector<std::string> inputs, outputs;  // types
  CompareRule rule;
  std::string compare_as;  // type to unpack with, "" for the output's own
  bool raw = false, implementation_defined = false;
  uint64_t in_offset = 0, out_offset = 0;  // 64-bit words
  uint32_t threads = 0;
};

// Whether the case's rule takes results that are merely close.
bool has_tolerance(const ConformanceCase& c);

struct ConformanceSuite {
  std::string folder;
  std::vector<ConformanceCase> cases;
  std::vector<uint64_t> inputs, outputs;  // words
};
// Files may be compressed. Throws Error (kInput).
ConformanceSuite load_conformance_suite(const std::string& folder);

enum class CaseStatus : uint8_t { kPassed, kFailed, kRefused, kFaulted };

struct CaseResult {
  size_t index = 0;  // into ConformanceSuite::cases
  CaseStatus status = CaseStatus::kPassed;
  uint32_t wrong = 0;    // words that the case's rule does not take
  uint32_t inexact = 0;  // words that differ in bits, whatever the rule
  std::string message;   // the first wrong word with its inputs, or why the case did not run
};

// Compares one case's output words with the golden ones.
CaseResult compare_case(const ConformanceSuite& suite, size_t index, const std::vector<uint64_t>& got);

struct ConformanceOptions {
  std::vector<std::string> groups, ids;  // empty: all
  std::string config = "h200";
  unsigned threads = 1;
};
// Runs the chosen cases functionally; results in the order of the suite, the same for any number of threads.
std::vector<CaseResult> run_conformance(const ConformanceSuite& suite, const ConformanceOptions& options);

// Splits a module's text into its header and its kernels (each from its `// id` comment on), so that one
// kernel that is refused does not take the others with it. Texts of the pieces, the header in front of each;
// names of the kernels in `names`.
std::vector<std::string> split_kernels(std::string_view text, std::vector<std::string>& names);

}  // namespace gpuloom::validation
