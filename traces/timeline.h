// SPDX-License-Identifier: Apache-2.0
// What happened on some SMs over time, as the recorder of arch/sm collects it and the writers show it. Cycles
// count from the start of the launch.
#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace gpuloom::traces {

enum class RecordKind : uint8_t {
  kBlock,  // a block was resident: slot, a = its number
  kWarp,   // a warp was resident: warp, a = index in its block, b = block
  kState,  // a warp did not issue: warp, reason, a = the operation that it would issue next
  kIssue,  // a warp issued: warp, a = operation; end: when its result was there
  kCopy,   // an asynchronous copy: warp, a = operation of the program, b = bytes, reason = CopyKind
  kGroup,  // cp.async copies from the first to the completion of the group: warp, a = its number, b = bytes
  kCopyWait,  // a warp waited for copies or an mbarrier: warp, a = instruction of the program
  kBarrier,   // a block's barrier from the first arrival to the release: slot
};

enum class CopyKind : uint8_t { kAsync, kBulk, kTensor, kRemote };

struct Record {
  uint64_t begin = 0, end = 0;
  RecordKind kind = RecordKind::kState;
  uint8_t reason = 0;
  uint16_t unit = 0;  // warp of the SM, or slot of the block
  uint32_t a = 0;
  uint64_t b = 0;
};

struct SmTimeline {
  unsigned sm = 0;
  std::vector<Record> records;
  uint64_t dropped = 0;  // beyond the limit of records
};

// A quantity over time, sampled at the ends of windows.
struct CounterTrack {
  std::string name, unit;
  std::vector<std::pair<uint64_t, double>> samples;  // cycle, value since the sample before
};

struct Timeline {
  std::string kernel;
  double clock_hz = 0;
  uint64_t start_cycle = 0;  // of the launch, in the simulation's time
  uint64_t cycles = 0;       // of the launch
  unsigned sub_cores = 4, warps_per_sub_core = 16;
  std::vector<std::string> operations;    // text of each machine operation: "LDG.E x.cu:12"
  std::vector<std::string> instructions;  // place of each decoded instruction: "x.cu:12"
  std::vector<std::string> reasons;       // by Record::reason of kState
  std::vector<SmTimeline> sms;
  std::vector<CounterTrack> counters;
};

// What to record.
struct TraceRequest {
  bool timeline = false;  // states, copies, barriers, counters
  bool issues = false;    // each instruction too
  std::vector<unsigned> sms = {0};
  uint64_t begin = 0, end = std::numeric_limits<uint64_t>::max();  // cycles of the launch
  uint64_t records_per_sm = uint64_t{1} << 21;                     // memory: 40 bytes each
  std::string vcd;  // file (without .vcd) of a value-change dump; "" for none
};

}  // namespace gpuloom::traces
