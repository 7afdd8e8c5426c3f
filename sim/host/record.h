// SPDX-License-Identifier: Apache-2.0
// What a run leaves behind: one record a launch in result.json, and a summary by kernel.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/host/record_file.h"
#include "sim/host/settings.h"
#include "sim/report/program_report.h"
#include "sim/report/program_timeline.h"
#include "sim/report/result.h"
#include "sim/streams/costs.h"

namespace gpuloom::host {

struct LaunchRecord {
  uint64_t number = 0;  // of the launch, as the program made them
  std::string kernel;   // mangled
  std::array<uint32_t, 3> grid{}, block{};
  uint32_t shared = 0;  // dynamic, bytes
  unsigned device = 0;
  uint64_t stream = 0;
  Time start = 0, end = 0;
  uint64_t warp_instructions = 0;
  std::vector<uint64_t> shared_with = {};  // launches that were on the GPU at the same time
  bool in_time = false;
  const ReportKernel* metrics = nullptr;  // of one in time; null: nobody wants them
};

// Copies and fills by their kind, for the summary.
enum class Moved : uint8_t { kToDevice, kFromDevice, kDevice, kFilled, kPeer, kCount };

// One copy or fill, on the machine.
struct TransferRecord {
  Moved what = Moved::kToDevice;
  uint64_t bytes = 0, stream = 0;
  bool pageable = false;
  unsigned device = 0;  // whose stream carried it out
  Time start = 0, end = 0;
};

class Records {
 public:
  // Throws Error where the folder cannot be made.
  explicit Records(const Settings& settings);
  Records(const Records&) = delete;
  Records& operator=(const Records&) = delete;
  ~Records();

  // Throw RecordsFailed.
  void add(const LaunchRecord& launch);
  // A launch that ended in a fault: the summary counts it, and it has no record, for no time of it is known.
  void add_faulted(const std::string& kernel);
  void add(const TransferRecord& transfer);  // counts in the summary too
  void add(Moved what, uint64_t bytes, Time duration);
  uint64_t launches() const { return launches_; }
  // Of a launch as the program makes it; goes on after cudaDeviceReset.
  uint64_t next_number() { return numbers_++; }
  uint64_t newest_number() const { return numbers_ - 1; }
  // Writes result.json where a folder was asked for, and the summary on stderr where one was. Throws Error,
  // RecordsFailed.
  void finish(const ReportProvenance& provenance, Time end, const std::string& ended);

 private:
  struct Sum {
    uint32_t number = 0;                                      // of the kernel
    uint64_t launches = 0, timed = 0, warp_instructions = 0;  // launches: that ended well
    uint64_t faulted = 0;
    Time total = 0, least = INT64_MAX, most = 0;
    uint64_t all() const { return launches + faulted; }
    Time shortest() const { return launches == 0 ? 0 : least; }
  };
  struct Movement {
    uint64_t count = 0, bytes = 0;
    Time total = 0;
  };
  // What the timeline has of a launch.
  struct LaunchSpan {
    Time start, end;
    uint64_t stream;
    uint32_t device, kernel;  // by its number
  };
  Sum& sum_of(const std::string& kernel);
  using SpanFn = std::function<void(const ProgramSpan&)>;
  std::string text(const ProgramTimes* times, Time end) const;
  bool several_devices() const { return settings_.configs.size() > 1; }
  std::string track(unsigned device, uint64_t stream) const;
  ProgramTimes times(Time end);
  std::string head(const ReportProvenance& provenance, const ProgramTimes* times, Time end,
                   const std::string& ended) const;
  void write(const std::string& head);
  void write_timeline();
  void for_each_span(const SpanFn& take);

  const Settings& settings_;
  std::map<std::string, Sum> kernels_;
  std::vector<std::string> kernel_names_;  // for who reads, by number
  std::array<Movement, static_cast<size_t>(Moved::kCount)> moved_{};
  uint64_t launches_ = 0, numbers_ = 0, transfers_ = 0;
  double copied_ = 0;  // bytes of those
  // Go to files as they come. Null: nobody asks for them.
  std::unique_ptr<RecordFile> lines_;   // launches as result.json has them
  std::unique_ptr<RecordFile> spans_;   // and as the timeline and the sums over time want them
  std::unique_ptr<RecordFile> copies_;  // TransferRecord
  uint64_t faulted_ = 0;                // launches
};

}  // namespace gpuloom::host
