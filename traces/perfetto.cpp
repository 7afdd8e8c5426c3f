// SPDX-License-Identifier: Apache-2.0
// Chrome trace-event format (JSON object with traceEvents): complete events X on one track must nest, so each
// warp and each block slot has its own; what overlaps (copies) is asynchronous (b, e).
#include <fmt/core.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "traces/perfetto_fills.h"
#include "traces/writers.h"

namespace gpuloom::traces {
namespace {

constexpr unsigned kMemoryProcess = 1000000;
constexpr unsigned kBlockTracks = 1000, kBarrierTracks = 2000, kFillTracks = 3000;

const char* copy_name(uint8_t kind) {
  static constexpr const char* kNames[] = {"cp.async", "bulk copy", "tensor copy", "remote store"};
  return kind < std::size(kNames) ? kNames[kind] : "copy";
}

// Names come from files of any encoding: what is not UTF-8 is replaced.
std::string quoted(const std::string& text) {
  using nlohmann::json;
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

class Writer {
 public:
  std::string write(const std::vector<Timeline>& launches) {
    out_ = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
    for (const Timeline& t : launches) launch(t);
    if (out_.ends_with(",\n")) out_.resize(out_.size() - 2);
    return out_ + "\n]}\n";
  }

 private:
  template <class... Args>
  void event(fmt::format_string<Args...> format, Args&&... args) {
    out_ += '{';
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += "},\n";
  }

  // Cycles of a launch in the viewer's microseconds.
  static double us(const Timeline& t, uint64_t cycle) {
    return static_cast<double>(t.start_cycle + cycle) * 1e-3;
  }

  void name_track(unsigned pid, unsigned tid, const std::string& name, unsigned order) {
    if (!named_.insert({pid, tid}).second) return;
    event(R"("ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":{}}})", pid, tid, quoted(name));
    event(R"("ph":"M","pid":{},"tid":{},"name":"thread_sort_index","args":{{"sort_index":{}}})", pid, tid,
          order);
  }

  void name_process(unsigned pid, const std::string& name) {
    if (named_.insert({pid, UINT32_MAX}).second)
      event(R"("ph":"M","pid":{},"name":"process_name","args":{{"name":{}}})", pid, quoted(name));
  }

  void slice(const Timeline& t, const Record& r, unsigned pid, unsigned tid, const std::string& name,
             const char* category, const std::string& args) {
    event(R"("ph":"X","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f},"name":{},"cat":"{}","args":{{{}}})", pid,
          tid, us(t, r.begin), static_cast<double>(r.end - r.begin) * 1e-3, quoted(name), category, args);
  }

  void overlapping(const Timeline& t, const Record& r, unsigned pid, const std::string& name,
                   const char* category, const std::string& args) {
    const uint64_t id = ++ids_;
    event(R"("ph":"b","pid":{},"tid":{},"id":{},"ts":{:.3f},"name":{},"cat":"{}","args":{{{}}})", pid, r.unit,
          id, us(t, r.begin), quoted(name), category, args);
    event(R"("ph":"e","pid":{},"tid":{},"id":{},"ts":{:.3f},"name":{},"cat":"{}")", pid, r.unit, id,
          us(t, r.end), quoted(name), category);
  }

  void record(const Timeline& t, unsigned pid, const Record& r) {
    const unsigned sub = r.unit / t.warps_per_sub_core, slot = r.unit % t.warps_per_sub_core;
    const auto warp_track = [&] {
      name_track(pid, r.unit, fmt::format("warp slot {}.{}", sub, slot), 10 + r.unit);
    };
    switch (r.kind) {
      case RecordKind::kBlock:
        name_track(pid, kBlockTracks + r.unit, fmt::format("block slot {}", r.unit), r.unit);
        slice(t, r, pid, kBlockTracks + r.unit, fmt::format("block {}", r.a), "block",
              "\"kernel\":" + quoted(t.kernel));
        break;
      case RecordKind::kBarrier:
        name_track(pid, kBarrierTracks + r.unit, fmt::format("barrier of slot {}", r.unit), 500 + r.unit);
        slice(t, r, pid, kBarrierTracks + r.unit, "barrier phase", "barrier", "");
        break;
      case RecordKind::kWarp:
        warp_track();
        slice(t, r, pid, r.unit, fmt::format("block {} warp {}", r.b, r.a), "warp", "");
        break;
      case RecordKind::kState:
        warp_track();
        slice(t, r, pid, r.unit, r.reason < t.reasons.size() ? t.reasons[r.reason] : "?", "stall",
              "\"next\":" + quoted(t.operation(r.a)));
        break;
      case RecordKind::kIssue: {
        Record issue = r;
        issue.end = r.begin + 1;
        warp_track();
        slice(t, issue, pid, r.unit, t.operation(r.a), "issue",
              fmt::format("\"result_after\":{}", r.end - r.begin));
        break;
      }
      case RecordKind::kCopyWait:
        overlapping(t, r, pid, "waits for copies", "copy wait", "\"at\":" + quoted(t.place(r.a)));
        break;
      case RecordKind::kCopy:
        overlapping(t, r, pid, fmt::format("{} {} B", copy_name(r.reason), r.b), "copy",
                    "\"at\":" + quoted(t.place(r.a)));
        break;
      case RecordKind::kGroup:
        overlapping(t, r, pid, fmt::format("group {} ({} B)", r.a, r.b), "cp.async group", "");
        break;
    }
  }

  void arrow(const Timeline& t, const char* phase, uint64_t id, unsigned pid, unsigned tid, uint64_t cycle) {
    event(R"("ph":"{}","bp":"e","id":{},"pid":{},"tid":{},"ts":{:.3f},"name":"copied data","cat":"fill")",
          phase, id, pid, tid, us(t, cycle));
  }

  // From the copy to the wait for it to the first load; each end lies in a slice of its track.
  void arrows(const Timeline& t, unsigned pid, unsigned tid, const Fill& f) {
    if (f.wait_begin == kNoCycle && f.first_use == kNoCycle) return;
    const uint64_t id = ++ids_;
    arrow(t, "s", id, pid, tid, f.complete - 1);
    if (f.wait_begin != kNoCycle)
      arrow(t, f.first_use == kNoCycle ? "f" : "t", id, pid, f.wait_warp, f.wait_end - 1);
    if (f.first_use != kNoCycle) arrow(t, "f", id, pid, f.use_warp, f.first_use);
  }

  void fills(const Timeline& t, const SmTimeline& sm) {
    const FillTracks tracks = fill_tracks(sm);
    for (size_t i = 0; i < tracks.names.size(); ++i)
      name_track(sm.sm, kFillTracks + static_cast<unsigned>(i), tracks.names[i],
                 700 + static_cast<unsigned>(i));
    const auto place = [&](uint32_t i) { return quoted(t.place(i)); };
    for (const FillSlice& s : tracks.slices) {
      const Fill& f = *s.fill;
      const unsigned tid = kFillTracks + static_cast<unsigned>(s.track);
      std::string args = fmt::format(R"("block":{},"bytes":{},"copied at":{},"warp":{})", f.block, f.bytes,
                                     place(f.copy_at), f.warp);
      if (f.barrier != kNoCycle) args += fmt::format(R"(,"mbarrier":{})", f.barrier);
      if (f.wait_begin != kNoCycle && f.wait_begin < f.complete)
        args += fmt::format(R"(,"late by":{},"waited at":{})", f.complete - f.wait_begin, place(f.wait_at));
      if (f.first_use != kNoCycle) args += fmt::format(R"(,"first read at":{})", place(f.use_at));
      Record r;
      r.begin = s.begin;
      r.end = s.end;
      slice(t, r, sm.sm, tid, fmt::format("{} {}", s.what, f.number), "pipeline", args);
      if (std::string_view(s.what) == "fill" && s.end == f.complete) arrows(t, sm.sm, tid, f);
    }
  }

  void launch(const Timeline& t) {
    for (const SmTimeline& sm : t.sms) {
      name_process(sm.sm, fmt::format("SM {}", sm.sm));
      for (const Record& r : sm.records) record(t, sm.sm, r);
      fills(t, sm);
      if (sm.dropped != 0)
        event(
            R"("ph":"I","s":"p","pid":{},"tid":0,"ts":{:.3f},"name":"{} records left out: narrow --trace-window")",
            sm.sm, us(t, t.cycles), sm.dropped);
    }
    if (t.counters.empty()) return;
    name_process(kMemoryProcess, "memory system");
    for (const CounterTrack& c : t.counters)
      for (const auto& [cycle, value] : c.samples)
        event(R"("ph":"C","pid":{},"ts":{:.3f},"name":{},"args":{{{}:{:.6g}}})", kMemoryProcess, us(t, cycle),
              quoted(c.name), quoted(c.unit), value);
  }

  std::string out_;
  std::set<std::pair<unsigned, unsigned>> named_;
  uint64_t ids_ = 0;
};

}  // namespace

std::string perfetto_json(const std::vector<Timeline>& launches) { return Writer().write(launches); }

}  // namespace gpuloom::traces
