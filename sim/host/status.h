// SPDX-License-Identifier: Apache-2.0
// CUDA's error codes, and the exception that carries one through the runtime.
#pragma once
#include <stdexcept>
#include <string>
#include <string_view>

namespace gpuloom::host {

// Values are those of cudaError_t (CUDA runtime API, "error handling").
enum class Status : int {
#define GPULOOM_STATUS(name, value, text) k##name = value,
#include "sim/host/status.inc"
#undef GPULOOM_STATUS
};

// "cudaErrorInvalidValue"; "unrecognized error code" where there is no such value.
const char* status_name(int status);
// What it means, in a few words of ours.
const char* status_text(int status);
// The status of CUDA's name for it, "cudaErrorInvalidClusterSize"; `otherwise` where there is none.
Status status_named(std::string_view name, Status otherwise);

// Ends a call of the runtime with an error code. what() says more, and may be empty.
class Failure : public std::runtime_error {
 public:
  explicit Failure(Status status, const std::string& detail = {})
      : std::runtime_error(detail), status_(status) {}
  Status status() const { return status_; }

 private:
  Status status_;
};

// Throws Failure with kInvalidValue unless `holds`.
inline void require(bool holds, Status otherwise = static_cast<Status>(1)) {
  if (!holds) throw Failure(otherwise);
}

}  // namespace gpuloom::host
