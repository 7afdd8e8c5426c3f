// SPDX-License-Identifier: Apache-2.0
// The timeline of a whole program in Chrome's trace-event JSON, which ui.perfetto.dev opens: a track a stream
// and a direction of copies.
#pragma once
#include <string>
#include <vector>

namespace gpuloom {

struct ProgramSpan {
  std::string name, track;
  double begin_ns = 0, end_ns = 0;
};

std::string program_timeline_json(const std::vector<ProgramSpan>& spans);

}  // namespace gpuloom
