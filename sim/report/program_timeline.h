// SPDX-License-Identifier: Apache-2.0
// The timeline of a whole program in Chrome's trace-event JSON, which ui.perfetto.dev opens: a track a stream
// and a direction of copies.
#pragma once
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace gpuloom {

struct ProgramSpan {
  std::string name, track;
  double begin_ns = 0, end_ns = 0;
};

std::string program_timeline_json(const std::vector<ProgramSpan>& spans);

// The same in pieces, for programs of very many spans: begin(), each span, kEnd.
class ProgramTimelineText {
 public:
  explicit ProgramTimelineText(const std::set<std::string>& tracks);
  std::string begin() const;
  std::string of(const ProgramSpan& span) const;
  static const char* const kEnd;

 private:
  std::map<std::string, size_t> tracks_;
};

}  // namespace gpuloom
