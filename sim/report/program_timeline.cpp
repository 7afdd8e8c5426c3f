// SPDX-License-Identifier: Apache-2.0
#include "sim/report/program_timeline.h"

#include <fmt/core.h>

namespace gpuloom {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) out += c;
  }
  return out + "\"";
}

}  // namespace

ProgramTimelineText::ProgramTimelineText(const std::set<std::string>& tracks) {
  for (const std::string& track : tracks) tracks_.emplace(track, tracks_.size() + 1);
}

std::string ProgramTimelineText::begin() const {
  std::string out = "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n";
  for (const auto& [name, id] : tracks_)
    out += fmt::format(
        "{{\"ph\": \"M\", \"pid\": 1, \"tid\": {}, \"name\": \"thread_name\", \"args\": {{\"name\": "
        "{}}}}},\n",
        id, quoted(name));
  return out;
}

// Times are microseconds there.
std::string ProgramTimelineText::of(const ProgramSpan& s) const {
  return fmt::format(
      "{{\"ph\": \"X\", \"pid\": 1, \"tid\": {}, \"ts\": {:.4f}, \"dur\": {:.4f}, \"name\": {}}},\n",
      tracks_.at(s.track), s.begin_ns * 1e-3, (s.end_ns - s.begin_ns) * 1e-3, quoted(s.name));
}

const char* const ProgramTimelineText::kEnd =
    "{\"ph\": \"M\", \"pid\": 1, \"name\": \"process_name\", \"args\": {\"name\": \"device 0\"}}\n]}\n";

std::string program_timeline_json(const std::vector<ProgramSpan>& spans) {
  std::set<std::string> tracks;
  for (const ProgramSpan& s : spans) tracks.insert(s.track);
  const ProgramTimelineText text(tracks);
  std::string out = text.begin();
  for (const ProgramSpan& s : spans) out += text.of(s);
  return out + ProgramTimelineText::kEnd;
}

}  // namespace gpuloom
