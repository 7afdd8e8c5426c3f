// SPDX-License-Identifier: Apache-2.0
#include "sim/host/record.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "base/demangle.h"
#include "base/error.h"
#include "base/text.h"
#include "sim/memory/files.h"
#include "sim/report/writers.h"

namespace gpuloom::host {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kMovedNames[] = {"host to device", "device to host", "device to device", "memset",
                                       "peer to peer"};

double microseconds(Time t) { return static_cast<double>(t) * 1e-6; }
double nanoseconds(Time t) { return static_cast<double>(t) * 1e-3; }

std::string lines_file(const Settings& settings) { return settings.output + "/launches.part"; }
std::string spans_file(const Settings& settings) { return settings.output + "/timeline.part"; }

std::FILE* opened(const std::string& path, const std::string& folder) {
  std::FILE* file = std::fopen(path.c_str(), "w+");
  if (file == nullptr) throw Error(ErrorKind::kInput, "cannot write into '" + folder + "'");
  return file;
}

// As result.json of `gpuloom run` has it.
Json metrics_json(const ReportKernel& kernel) {
  RunReport run;
  run.kernels.push_back(kernel);
  return Json::parse(result_json(run)).at("kernels").at(0);
}

}  // namespace

Records::Records(const Settings& settings) : settings_(settings) {
  if (settings.output.empty()) return;
  sim::make_folder(settings.output);
  lines_ = opened(lines_file(settings), settings.output);
  spans_ = opened(spans_file(settings), settings.output);
}

// Numbers of streams begin anew on each device, for who reads.
std::string Records::track(unsigned device, uint64_t stream) const {
  return several_devices() ? fmt::format("device {} stream {}", device, stream & UINT32_MAX)
                           : fmt::format("stream {}", stream);
}

Records::~Records() { remove_lines(); }

void Records::remove_lines() {
  if (lines_ == nullptr) return;
  std::fclose(lines_);
  lines_ = nullptr;
  std::fclose(spans_);
  spans_ = nullptr;
  std::remove(lines_file(settings_).c_str());
  std::remove(spans_file(settings_).c_str());
}

void Records::add(const LaunchRecord& launch) {
  Sum& sum = kernels_[launch.kernel];
  const Time took = launch.end - launch.start;
  ++sum.launches;
  sum.timed += launch.in_time ? 1 : 0;
  sum.warp_instructions += launch.warp_instructions;
  sum.total += took;
  sum.least = std::min(sum.least, took);
  sum.most = std::max(sum.most, took);
  remember(true, launch.start, launch.end, 0);
  const bool first = launches_++ == 0;
  if (lines_ == nullptr) return;
  Json j = launch.metrics != nullptr ? metrics_json(*launch.metrics) : Json::object();
  j["launch"] = launch.number;
  j["name"] = launch.kernel;
  j["mode"] = launch.in_time ? "timed" : "functional";
  j["grid"] = launch.grid;
  j["block"] = launch.block;
  j["dynamic_shared"] = launch.shared;
  if (several_devices()) j["device"] = launch.device;
  j["stream"] = launch.stream & UINT32_MAX;
  j["start_ns"] = nanoseconds(launch.start);
  j["end_ns"] = nanoseconds(launch.end);
  j["warp_instructions"] = launch.warp_instructions;
  j["alone"] = launch.shared_with.empty();
  if (!launch.shared_with.empty()) j["shared_with"] = launch.shared_with;
  fmt::print(spans_, "{} {} {} {} {}\n", launch.device, launch.stream, launch.start, launch.end,
             launch.kernel);
  const std::string line = (first ? "" : ",\n") + j.dump();
  std::fwrite(line.data(), 1, line.size(), lines_);
}

void Records::add(Moved what, uint64_t bytes, Time duration) {
  Movement& m = moved_[static_cast<size_t>(what)];
  ++m.count;
  m.bytes += bytes;
  m.total += duration;
}

void Records::remember(bool kernel, Time start, Time end, uint64_t bytes) {
  if (!settings_.timed) return;
  work_.push_back({nanoseconds(start), nanoseconds(end), kernel});
  copied_ += static_cast<double>(bytes);
}

ProgramTimes Records::times(Time end) const { return program_times(work_, nanoseconds(end)); }

void Records::add(const TransferRecord& t) {
  add(t.what, t.bytes, t.end - t.start);
  remember(false, t.start, t.end, t.bytes);
  if (lines_ != nullptr) transfers_.push_back(t);
}

std::string Records::text(Time end) const {
  std::vector<std::pair<std::string, Sum>> rows(kernels_.begin(), kernels_.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.second.total != b.second.total ? a.second.total > b.second.total
                                            : a.second.warp_instructions > b.second.warp_instructions;
  });
  std::string out = fmt::format("gpuloom: {} {} of {} {} in {:.1f} us of simulated time\n",
                                with_thousands(launches_), launches_ == 1 ? "launch" : "launches",
                                rows.size(), rows.size() == 1 ? "kernel" : "kernels", microseconds(end));
  if (!rows.empty())
    out += fmt::format("  {:>9} {:>8} {:>12} {:>12} {:>12} {:>16}  {}\n", "launches", "timed", "total us",
                       "least us", "most us", "warp instr.", "kernel");
  for (const auto& [name, sum] : rows)
    out += fmt::format("  {:>9} {:>8} {:>12.2f} {:>12.2f} {:>12.2f} {:>16}  {}\n", sum.launches, sum.timed,
                       microseconds(sum.total), microseconds(sum.least), microseconds(sum.most),
                       with_thousands(sum.warp_instructions), short_name(name));
  for (size_t k = 0; k < moved_.size(); ++k)
    if (const Movement& m = moved_[k]; m.count != 0)
      out += fmt::format("  {:>9} {:>8} {:>12.2f} {:>42} bytes  {}\n", m.count, "", microseconds(m.total),
                         with_thousands(m.bytes), kMovedNames[k]);
  if (settings_.timed) out += overlap_text(times(end));
  return out;
}

std::vector<ProgramSpan> Records::launch_spans() {
  std::vector<ProgramSpan> spans;
  std::rewind(spans_);
  unsigned device = 0;
  uint64_t stream = 0;
  Time start = 0, end = 0;
  char* line = nullptr;
  size_t room = 0;
  for (ssize_t length = 0; (length = getline(&line, &room, spans_)) > 0;) {
    std::istringstream words(std::string(line, static_cast<size_t>(length)));
    std::string kernel;
    words >> device >> stream >> start >> end >> kernel;
    spans.push_back({short_name(kernel), track(device, stream), nanoseconds(start), nanoseconds(end)});
  }
  std::free(line);
  return spans;
}

void Records::write(const ReportProvenance& provenance, Time end, const std::string& ended) {
  Json head;
  head["schema"] = kResultSchema;
  head["provenance"] = {{"version", provenance.version},
                        {"sources", provenance.sources},
                        {"config", provenance.config},
                        {"config_sha256", provenance.config_sha256},
                        {"program", provenance.launch}};
  if (several_devices()) head["devices"] = settings_.configs;
  head["ended"] = ended;
  head["simulated_ns"] = nanoseconds(end);
  Json& summary = head["summary"] = Json::array();
  for (const auto& [name, sum] : kernels_)
    summary.push_back({{"name", name},
                       {"demangled", demangled(name)},
                       {"launches", sum.launches},
                       {"timed", sum.timed},
                       {"total_ns", nanoseconds(sum.total)},
                       {"least_ns", nanoseconds(sum.least)},
                       {"most_ns", nanoseconds(sum.most)},
                       {"warp_instructions", sum.warp_instructions}});
  Json& copies = head["copies"] = Json::array();
  for (size_t k = 0; k < moved_.size(); ++k)
    if (const Movement& m = moved_[k]; m.count != 0)
      copies.push_back({{"kind", kMovedNames[k]},
                        {"count", m.count},
                        {"bytes", m.bytes},
                        {"total_ns", nanoseconds(m.total)}});
  if (settings_.timed) {
    const auto launches = static_cast<double>(launches_);
    Json& metrics = head["metrics"] = Json::object();
    for (const ReportMetric& m :
         program_metrics(times(end), launches, static_cast<double>(work_.size()) - launches, copied_))
      metrics[m.name] = {{"value", m.value}, {"unit", m.unit}};
  }
  std::vector<ProgramSpan> spans = launch_spans();
  Json& transfers = head["transfers"] = Json::array();
  for (const TransferRecord& t : transfers_) {
    const char* kind = kMovedNames[static_cast<size_t>(t.what)];
    Json j = {{"kind", kind},
              {"bytes", t.bytes},
              {"stream", t.stream & UINT32_MAX},
              {"pageable", t.pageable},
              {"start_ns", nanoseconds(t.start)},
              {"end_ns", nanoseconds(t.end)}};
    if (several_devices()) j["device"] = t.device;
    transfers.push_back(std::move(j));
    const std::string of_copies = several_devices() ? fmt::format("device {} copies {}", t.device, kind)
                                                    : fmt::format("copies {}", kind);
    for (const std::string& on : {track(t.device, t.stream), of_copies})
      spans.push_back(
          {fmt::format("{} of {} bytes", kind, t.bytes), on, nanoseconds(t.start), nanoseconds(t.end)});
  }
  sim::write_file(settings_.output + "/timeline.json", program_timeline_json(spans));
  std::string text = head.dump(1);
  text.erase(text.rfind('}'));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  text += ",\n \"launches\": [\n";
  std::rewind(lines_);
  char piece[1 << 16];
  for (size_t n = 0; (n = std::fread(piece, 1, sizeof piece, lines_)) != 0;) text.append(piece, n);
  text += "\n ]\n}\n";
  sim::write_file(settings_.output + "/result.json", text);
}

void Records::finish(const ReportProvenance& provenance, Time end, const std::string& ended) {
  if (lines_ != nullptr) write(provenance, end, ended);
  remove_lines();
  if (!settings_.summary) return;
  const std::string out = text(end);
  std::fwrite(out.data(), 1, out.size(), stderr);
}

}  // namespace gpuloom::host
