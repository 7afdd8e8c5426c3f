// SPDX-License-Identifier: Apache-2.0
#include "sim/host/record.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "base/demangle.h"
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

// As result.json of `gpuloom run` has it.
Json metrics_json(const ReportKernel& kernel) {
  RunReport run;
  run.kernels.push_back(kernel);
  return Json::parse(result_json(run)).at("kernels").at(0);
}

// As the writer of the whole would have it where it stands: two steps in.
std::string indented(const std::string& text) {
  std::string out;
  for (const char c : text) {
    out += c;
    if (c == '\n') out += "  ";
  }
  return out;
}

}  // namespace

Records::Records(const Settings& settings) : settings_(settings) {
  const std::string& folder = settings.output;
  if (!folder.empty()) {
    sim::make_folder(folder);
    lines_ = std::make_unique<RecordFile>(folder + "/launches.part");
    spans_ = std::make_unique<RecordFile>(folder + "/timeline.part");
    copies_ = std::make_unique<RecordFile>(folder + "/copies.part");
  } else if (settings.timed && settings.summary) {
    spans_ = std::make_unique<RecordFile>();
    copies_ = std::make_unique<RecordFile>();
  }
}

Records::~Records() = default;

// Numbers of streams begin anew on each device, for who reads.
std::string Records::track(unsigned device, uint64_t stream) const {
  return several_devices() ? fmt::format("device {} stream {}", device, stream & UINT32_MAX)
                           : fmt::format("stream {}", stream);
}

Records::Sum& Records::sum_of(const std::string& kernel) {
  const auto [known, is_new] = kernels_.try_emplace(kernel);
  if (is_new) {
    known->second.number = static_cast<uint32_t>(kernel_names_.size());
    kernel_names_.push_back(short_name(kernel));
  }
  return known->second;
}

void Records::add_faulted(const std::string& kernel) {
  ++sum_of(kernel).faulted;
  ++faulted_;
}

void Records::add(const LaunchRecord& launch) {
  Sum& sum = sum_of(launch.kernel);
  const Time took = launch.end - launch.start;
  ++sum.launches;
  sum.timed += launch.in_time ? 1 : 0;
  sum.warp_instructions += launch.warp_instructions;
  sum.total += took;
  sum.least = std::min(sum.least, took);
  sum.most = std::max(sum.most, took);
  const bool first = launches_++ == 0;
  if (spans_ != nullptr)
    spans_->append_record(LaunchSpan{launch.start, launch.end, launch.stream, launch.device, sum.number});
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
  lines_->append((first ? "" : ",\n") + j.dump());
}

void Records::add(Moved what, uint64_t bytes, Time duration) {
  Movement& m = moved_[static_cast<size_t>(what)];
  ++m.count;
  m.bytes += bytes;
  m.total += duration;
}

void Records::add(const TransferRecord& t) {
  add(t.what, t.bytes, t.end - t.start);
  ++transfers_;
  copied_ += static_cast<double>(t.bytes);
  if (copies_ != nullptr) copies_->append_record(t);
}

ProgramTimes Records::times(Time end) {
  std::vector<WorkSpan> work;
  work.reserve(launches_ + transfers_);
  spans_->for_each_record<LaunchSpan>([&](const LaunchSpan& s) {
    work.push_back({nanoseconds(s.start), nanoseconds(s.end), true});
  });
  copies_->for_each_record<TransferRecord>([&](const TransferRecord& t) {
    work.push_back({nanoseconds(t.start), nanoseconds(t.end), false});
  });
  return program_times(work, nanoseconds(end));
}

std::string Records::text(const ProgramTimes* times, Time end) const {
  std::vector<std::pair<std::string, Sum>> rows(kernels_.begin(), kernels_.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.second.total != b.second.total ? a.second.total > b.second.total
                                            : a.second.warp_instructions > b.second.warp_instructions;
  });
  const uint64_t all = launches_ + faulted_;
  std::string out = fmt::format("gpuloom: {} {} of {} {} in {:.1f} us of simulated time", with_thousands(all),
                                all == 1 ? "launch" : "launches", rows.size(),
                                rows.size() == 1 ? "kernel" : "kernels", microseconds(end));
  if (faulted_ != 0) out += fmt::format("; {} ended in a fault", faulted_);
  out += '\n';
  if (!rows.empty())
    out += fmt::format("  {:>9} {:>8} {:>12} {:>12} {:>12} {:>16}  {}\n", "launches", "timed", "total us",
                       "least us", "most us", "warp instr.", "kernel");
  for (const auto& [name, sum] : rows) {
    out += fmt::format("  {:>9} {:>8} {:>12.2f} {:>12.2f} {:>12.2f} {:>16}  {}", sum.all(), sum.timed,
                       microseconds(sum.total), microseconds(sum.shortest()), microseconds(sum.most),
                       with_thousands(sum.warp_instructions), short_name(name));
    if (sum.faulted != 0) out += fmt::format(" ({} ended in a fault)", sum.faulted);
    out += '\n';
  }
  for (size_t k = 0; k < moved_.size(); ++k)
    if (const Movement& m = moved_[k]; m.count != 0)
      out += fmt::format("  {:>9} {:>8} {:>12.2f} {:>42} bytes  {}\n", m.count, "", microseconds(m.total),
                         with_thousands(m.bytes), kMovedNames[k]);
  if (times != nullptr) out += overlap_text(*times);
  return out;
}

// Launches first, then copies, each in the order of their ends.
void Records::for_each_span(const SpanFn& take) {
  spans_->for_each_record<LaunchSpan>([&](const LaunchSpan& s) {
    take({kernel_names_[s.kernel], track(s.device, s.stream), nanoseconds(s.start), nanoseconds(s.end)});
  });
  copies_->for_each_record<TransferRecord>([&](const TransferRecord& t) {
    const char* kind = kMovedNames[static_cast<size_t>(t.what)];
    const std::string of_copies = several_devices() ? fmt::format("device {} copies {}", t.device, kind)
                                                    : fmt::format("copies {}", kind);
    for (const std::string& on : {track(t.device, t.stream), of_copies})
      take({fmt::format("{} of {} bytes", kind, t.bytes), on, nanoseconds(t.start), nanoseconds(t.end)});
  });
}

void Records::write_timeline() {
  std::set<std::string> tracks;
  for_each_span([&](const ProgramSpan& s) { tracks.insert(s.track); });
  const ProgramTimelineText text(tracks);
  sim::FileWriter out(settings_.output + "/timeline.json");
  out.write(text.begin());
  for_each_span([&](const ProgramSpan& s) { out.write(text.of(s)); });
  out.write(ProgramTimelineText::kEnd);
  out.finish();
}

// All of result.json but its lists of copies and launches, without its end.
std::string Records::head(const ReportProvenance& provenance, const ProgramTimes* times, Time end,
                          const std::string& ended) const {
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
  for (const auto& [name, sum] : kernels_) {
    summary.push_back({{"name", name},
                       {"demangled", demangled(name)},
                       {"launches", sum.all()},
                       {"timed", sum.timed},
                       {"total_ns", nanoseconds(sum.total)},
                       {"least_ns", nanoseconds(sum.shortest())},
                       {"most_ns", nanoseconds(sum.most)},
                       {"warp_instructions", sum.warp_instructions}});
    if (sum.faulted != 0) summary.back()["faulted"] = sum.faulted;
  }
  Json& copies = head["copies"] = Json::array();
  for (size_t k = 0; k < moved_.size(); ++k)
    if (const Movement& m = moved_[k]; m.count != 0)
      copies.push_back({{"kind", kMovedNames[k]},
                        {"count", m.count},
                        {"bytes", m.bytes},
                        {"total_ns", nanoseconds(m.total)}});
  if (times != nullptr) {
    const auto launches = static_cast<double>(launches_);
    Json& metrics = head["metrics"] = Json::object();
    for (const ReportMetric& m : program_metrics(*times, launches, static_cast<double>(transfers_), copied_))
      metrics[m.name] = {{"value", m.value}, {"unit", m.unit}};
  }
  std::string text = head.dump(1);
  text.erase(text.rfind('}'));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

void Records::write(const std::string& head) {
  sim::FileWriter out(settings_.output + "/result.json");
  out.write(head + ",\n \"transfers\": [");
  bool first = true;
  copies_->for_each_record<TransferRecord>([&](const TransferRecord& t) {
    Json j = {{"kind", kMovedNames[static_cast<size_t>(t.what)]},
              {"bytes", t.bytes},
              {"stream", t.stream & UINT32_MAX},
              {"pageable", t.pageable},
              {"start_ns", nanoseconds(t.start)},
              {"end_ns", nanoseconds(t.end)}};
    if (several_devices()) j["device"] = t.device;
    out.write(first ? "\n  " : ",\n  ");
    out.write(indented(j.dump(1)));
    first = false;
  });
  out.write(first ? "],\n \"launches\": [\n" : "\n ],\n \"launches\": [\n");
  lines_->for_each_piece([&](std::string_view piece) { out.write(piece); });
  out.write("\n ]\n}\n");
  out.finish();
}

void Records::finish(const ReportProvenance& provenance, Time end, const std::string& ended) {
  std::optional<ProgramTimes> sums;
  if (settings_.timed && spans_ != nullptr) sums = times(end);
  const ProgramTimes* known = sums ? &*sums : nullptr;
  if (lines_ != nullptr) {
    write_timeline();
    write(head(provenance, known, end, ended));
  }
  lines_.reset();
  spans_.reset();
  copies_.reset();
  if (!settings_.summary) return;
  const std::string out = text(known, end);
  std::fwrite(out.data(), 1, out.size(), stderr);
}

}  // namespace gpuloom::host
