// SPDX-License-Identifier: Apache-2.0
// Fills of buffers as tracks of a timeline: slices that do not overlap on a track, and arrows between tracks.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "traces/timeline.h"

namespace gpuloom::traces {

struct FillSlice {
  size_t track = 0;
  uint64_t begin = 0, end = 0;
  const char* what = "";  // "fill", "ready", "use"
  const Fill* fill = nullptr;
};
struct FillTracks {
  std::vector<std::string> names;  // "slot 0 buffer 1 (4096)"
  std::vector<FillSlice> slices;
};
FillTracks fill_tracks(const SmTimeline& sm);

}  // namespace gpuloom::traces
