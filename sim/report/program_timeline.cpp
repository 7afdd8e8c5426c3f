// SPDX-License-Identifier: Apache-2.0
#include "sim/report/program_timeline.h"

#include <fmt/core.h>

#include <map>

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

// Times are microseconds there.
std::string program_timeline_json(const std::vector<ProgramSpan>& spans) {
  std::map<std::string, size_t> tracks;
  for (const ProgramSpan& s : spans) tracks.try_emplace(s.track, 0);
  std::string out = "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n";
  size_t number = 0;
  for (auto& [name, id] : tracks) {
    id = ++number;
    out += fmt::format(
        "{{\"ph\": \"M\", \"pid\": 1, \"tid\": {}, \"name\": \"thread_name\", \"args\": {{\"name\": "
        "{}}}}},\n",
        id, quoted(name));
  }
  for (const ProgramSpan& s : spans)
    out += fmt::format(
        "{{\"ph\": \"X\", \"pid\": 1, \"tid\": {}, \"ts\": {:.4f}, \"dur\": {:.4f}, \"name\": {}}},\n",
        tracks.at(s.track), s.begin_ns * 1e-3, (s.end_ns - s.begin_ns) * 1e-3, quoted(s.name));
  return out +
         "{\"ph\": \"M\", \"pid\": 1, \"name\": \"process_name\", \"args\": {\"name\": \"device 0\"}}\n]}\n";
}

}  // namespace gpuloom
