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

constexpr uint64_t kNoCycle = std::numeric_limits<uint64_t>::max();  // it did not happen

// What asynchronous copies bring to a buffer of a block's shared memory together: a group of cp.async, of all
// warps of the block, or a phase of an mbarrier.
struct Fill {
  uint64_t block = 0;
  uint64_t issued = 0, complete = kNoCycle;                         // the first copy, the last one's bytes
  uint64_t wait_begin = kNoCycle, wait_end = kNoCycle, waited = 0;  // first, last; warp-cycles of all waits
  uint64_t first_use = kNoCycle, last_use = kNoCycle;               // loads from the buffer
  uint64_t reused = kNoCycle;                                       // the next fill of the buffer was issued
  uint64_t barrier = kNoCycle;                               // shared address of the mbarrier; none: a group
  uint64_t waiting_warps = 0;                                // of the block, a bit each
  uint32_t number = 0;                                       // of the fills of its block, from 0
  uint32_t group = 0;                                        // of cp.async
  uint32_t buffer = 0, bytes = 0, copies = 0;                // lowest shared address
  uint32_t copy_at = 0, wait_at = 0, use_at = 0;             // instructions of the program
  uint16_t slot = 0, warp = 0, wait_warp = 0, use_warp = 0;  // slot of the block; warps of the SM
  CopyKind kind = CopyKind::kAsync;
};

// A warp waited at an mbarrier that no copy brings bytes to: for a buffer to be free, most often.
struct FreeWait {
  uint64_t block = 0, begin = 0, end = 0;
  uint32_t at = 0;
  uint16_t warp = 0;
};

struct SmTimeline {
  unsigned sm = 0;
  std::vector<Record> records;
  std::vector<Fill> fills;  // in order of issue
  std::vector<FreeWait> free_waits;
  uint64_t dropped = 0;         // records beyond TraceRequest::records_per_sm
  uint64_t copies_dropped = 0;  // copies of a warp whose fill is beyond TraceRequest::fills_per_sm
};

// A quantity over time, sampled at the ends of windows.
struct CounterTrack {
  std::string name, unit;
  std::vector<std::pair<uint64_t, double>> samples;  // cycle, value since the sample before
};

// A machine operation, and the decoded instruction that it came from.
struct TracedOperation {
  std::string opcode;  // "LDG.E"
  uint32_t instruction = 0;
};

struct Timeline {
  std::string kernel;
  double clock_hz = 0;
  uint64_t start_cycle = 0;         // of the launch, in the simulation's time
  uint64_t cycles = 0;              // of the launch
  uint64_t recorded_to = kNoCycle;  // records of what begins later were not asked for
  unsigned sub_cores = 4, warps_per_sub_core = 16;
  std::vector<TracedOperation> operations;  // the kernel's machine operations
  std::vector<std::string> instructions;    // place of each decoded instruction: "x.cu:12"
  std::vector<std::string> reasons;         // by Record::reason of kState
  std::vector<SmTimeline> sms;
  std::vector<CounterTrack> counters;

  // "x.cu:12", and "" for an instruction that is not there.
  std::string place(uint32_t instruction) const {
    return instruction < instructions.size() ? instructions[instruction] : std::string();
  }
  // "LDG.E x.cu:12", and "" for an operation that is not there (a warp that has no next one).
  std::string operation(uint32_t number) const {
    if (number >= operations.size()) return {};
    return operations[number].opcode + " " + place(operations[number].instruction);
  }
};

// What to record.
struct TraceRequest {
  bool timeline = false;   // states, copies, barriers, counters
  uint64_t issues_to = 0;  // each instruction too that issues before this cycle of the launch
  bool records = true;     // SmTimeline::records; without, its fills and waits alone
  std::vector<unsigned> sms = {0};
  uint64_t begin = 0, end = std::numeric_limits<uint64_t>::max();  // cycles of the launch
  uint64_t records_per_sm = uint64_t{1} << 21;                     // memory: 40 bytes each
  uint64_t fills_per_sm = uint64_t{1} << 17;                       // memory: 200 bytes each
  std::string vcd;  // file (without .vcd) of a value-change dump; "" for none
};

}  // namespace gpuloom::traces
