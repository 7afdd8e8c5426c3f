// SPDX-License-Identifier: Apache-2.0
// `program` of a launch file: launches, copies and graphs on named streams, in the order in which a host
// program would ask for them.
//
//   streams: {copies: {}, compute: {priority: -1}}
//   program:
//     - {to_device: a, stream: copies}
//     - {record: there, stream: copies}
//     - {wait: there, stream: compute}
//     - {launch: {kernel: scale, grid: 256, block: 256, args: [a, 65536]}, stream: compute}
//     - {synchronize: device}
//
// sim/runtime/README.md lists every step.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"

namespace gpuloom {
class ConfigView;
}

namespace gpuloom::sim {

struct BufferSpec;

struct ProgramStep {
  enum class Kind : uint8_t {
    kLaunch,
    kToDevice,
    kToHost,
    kCopy,
    kFill,
    kRecord,
    kWait,
    kSynchronize,
    kSynchronizeStream,
    kSynchronizeEvent,
    kGraph,
    kRepeat,
  };
  Kind kind = Kind::kSynchronize;
  std::vector<size_t> streams;  // indices into ProgramSpec::streams, taken in turn; empty: the default stream
  size_t what = 0;              // index of the launch, buffer, event, stream or graph
  size_t to = 0;                // of a copy: the buffer that it goes to
  bool part = false;            // of a repetition's turn: that part of the buffer
  uint8_t value = 0;            // of a fill
  uint32_t times = 1;           // of a repetition
  std::vector<ProgramStep> steps;
  FilePosition where;
};

struct StreamSpec {
  std::string name;
  int priority = 0;
  bool non_blocking = false;
  unsigned device = 0;
};

struct GraphSpec {
  std::string name;
  std::vector<ProgramStep> steps;
};

struct ProgramSpec {
  std::vector<StreamSpec> streams;
  std::vector<std::string> events;
  std::vector<GraphSpec> graphs;
  std::vector<ProgramStep> steps;
  bool empty() const { return steps.empty(); }
};

// What the reader of a launch file lends: the launch of a step becomes one of the file's, buffers have been
// read.
struct ProgramContext {
  std::function<size_t(const ConfigView&)> launch;
  std::function<size_t(const ConfigView&, const char*)> buffer;
  const std::vector<BufferSpec>& buffers;
  unsigned devices = 1;
};
// `device` of a buffer or a stream, of a program that has so many.
unsigned read_device(const ConfigView& view, unsigned devices);

// `host` of a buffer, which only a program may say.
enum class HostSide : uint8_t;
HostSide read_host_side(const ConfigView& buffer, bool in_program);

// Problems go to the view's configuration.
void read_program(const ConfigView& root, const ProgramContext& context, ProgramSpec& out);

}  // namespace gpuloom::sim
