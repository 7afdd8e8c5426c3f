// SPDX-License-Identifier: Apache-2.0
#include "sim/api/occupancy_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "arch/gpc/occupancy.h"
#include "base/config/config.h"
#include "base/error.h"
#include "base/text.h"
#include "sim/memory/files.h"

namespace gpuloom::sim {
namespace {

using arch::KernelResources;
using arch::Occupancy;

enum Input : size_t { kCc, kBlock, kRegs, kStatic, kDynamic, kCarveout, kBars, kInputs };
constexpr std::array<std::string_view, kInputs> kInputNames = {"cc",       "block",    "regs", "smem_static",
                                                               "smem_dyn", "carveout", "bars"};

struct Answer {
  std::string_view name;
  uint32_t Occupancy::*value;
};
constexpr Answer kAnswers[] = {{"active", &Occupancy::blocks},
                               {"lim_warps", &Occupancy::limit_warps},
                               {"lim_regs", &Occupancy::limit_registers},
                               {"lim_smem", &Occupancy::limit_shared},
                               {"lim_blocks", &Occupancy::limit_blocks},
                               {"lim_bars", &Occupancy::limit_barriers},
                               {"alloc_regs", &Occupancy::allocated_registers},
                               {"alloc_smem", &Occupancy::allocated_shared}};

class Comparison {
 public:
  explicit Comparison(const std::string& path) : path_(path) {}

  OccupancyTable run() {
    const std::string text = read_file(path_);
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size());
      std::string_view line(text.data() + at, end - at);
      at = end + 1;
      ++line_;
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (line.empty() || line[0] == '#') continue;
      if (columns_.empty()) {
        heading(line);
      } else {
        row(line);
      }
    }
    if (columns_.empty()) throw Error(ErrorKind::kInput, "the table has no heading", {path_, 1, 1});
    return std::move(table_);
  }

 private:
  static std::vector<std::string_view> fields(std::string_view line) {
    std::vector<std::string_view> parts;
    for (size_t at = 0; at <= line.size();) {
      const size_t end = std::min(line.find(',', at), line.size());
      parts.push_back(line.substr(at, end - at));
      at = end + 1;
    }
    return parts;
  }

  void heading(std::string_view line) {
    std::vector<std::string> known(kInputNames.begin(), kInputNames.end());
    for (const Answer& answer : kAnswers) known.emplace_back(answer.name);
    for (std::string_view name : fields(line)) {
      const auto found = std::find(known.begin(), known.end(), name);
      if (found == known.end())
        throw Error(ErrorKind::kInput, fmt::format("unknown column '{}'", name), {path_, line_, 1},
                    did_you_mean(name, known));
      columns_.push_back(static_cast<size_t>(found - known.begin()));
    }
  }

  const arch::GpuConfig& capability(long cc) {
    auto known = configs_.find(cc);
    if (known != configs_.end()) return known->second;
    const Config config = Config::load(fmt::format("cc/sm_{}", cc));
    return configs_.emplace(cc, arch::load_capability(config.root())).first->second;
  }

  void row(std::string_view line) {
    const std::vector<std::string_view> parts = fields(line);
    if (parts.size() != columns_.size())
      throw Error(ErrorKind::kInput,
                  fmt::format("{} fields where the heading has {}", parts.size(), columns_.size()),
                  {path_, line_, 1});
    std::array<long, kInputs + std::size(kAnswers)> v{};
    v[kCarveout] = -1;
    v[kBars] = 1;
    for (size_t i = 0; i < parts.size(); ++i) {
      const char* const end = parts[i].data() + parts[i].size();
      if (std::from_chars(parts[i].data(), end, v[columns_[i]]).ptr != end || parts[i].empty())
        throw Error(ErrorKind::kInput, fmt::format("'{}' is not a whole number", parts[i]),
                    {path_, line_, 1});
    }
    KernelResources k;
    k.threads = static_cast<uint32_t>(v[kBlock]);
    k.registers_per_thread = static_cast<uint32_t>(v[kRegs]);
    k.shared_static = static_cast<uint32_t>(v[kStatic]);
    k.shared_dynamic = static_cast<uint32_t>(v[kDynamic]);
    k.carveout_percent = static_cast<int>(v[kCarveout]);
    k.barriers = static_cast<uint32_t>(v[kBars]);
    const Occupancy o = arch::occupancy(capability(v[kCc]), k);
    std::string what;
    for (size_t column : columns_) {
      if (column < kInputs) continue;
      const uint32_t ours = o.*kAnswers[column - kInputs].value;
      if (v[column] != long{ours})
        what += fmt::format("{}{} is {}, ours {}", what.empty() ? "" : "; ", kAnswers[column - kInputs].name,
                            v[column], ours);
    }
    ++table_.rows;
    ++table_.capabilities[std::to_string(v[kCc])];
    if (!what.empty()) table_.differences.push_back({line_, std::string(line), what});
  }

  std::string path_;
  unsigned line_ = 0;
  std::vector<size_t> columns_;  // inputs first, then answers from kInputs on
  std::map<long, arch::GpuConfig> configs_;
  OccupancyTable table_;
};

}  // namespace

OccupancyTable compare_occupancy_table(const std::string& path) { return Comparison(path).run(); }

}  // namespace gpuloom::sim
