// SPDX-License-Identifier: Apache-2.0
// A trace as a user asks for it: what to record, and the files that it is written to.
#pragma once
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "traces/timeline.h"

namespace gpuloom::sim {

struct TraceChoice {
  std::string format;  // "perfetto", "konata", "vcd"; "" for no trace
  std::string base;    // path of the file without its extension
  std::vector<unsigned> sms = {0};
  uint64_t begin = 0, end = std::numeric_limits<uint64_t>::max();  // cycles of the launch
};

// What the device is to record.
traces::TraceRequest trace_request(const TraceChoice& choice);

// What to say where an SM has filled more buffers than are kept; "" where it has not.
std::string dropped_copies_note(unsigned sm, uint64_t copies);

struct TraceFiles {
  struct File {
    std::string path;
    size_t bytes = 0;
  };
  std::vector<File> files;
  std::vector<std::string> notes;  // what did not fit
};
// Perfetto's file holds all launches, Konata's (a file an SM) the last. The values of a vcd are written while
// the kernel runs, so only its path is given.
TraceFiles write_trace(const TraceChoice& choice,
                       const std::vector<std::shared_ptr<const traces::Timeline>>& launches);

}  // namespace gpuloom::sim
