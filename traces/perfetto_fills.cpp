// SPDX-License-Identifier: Apache-2.0
#include "traces/perfetto_fills.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

namespace gpuloom::traces {

// A track for each buffer of each block slot. Slices of a track must not overlap: one ends where the next
// fill of the buffer begins.
FillTracks fill_tracks(const SmTimeline& sm) {
  std::map<std::pair<uint16_t, uint32_t>, size_t> tracks;
  for (const Fill& f : sm.fills) tracks[{f.slot, f.buffer}] = 0;
  FillTracks out;
  uint16_t slot = 0;
  size_t buffer = 0;
  for (auto& [key, track] : tracks) {
    buffer = key.first == slot ? buffer : 0;
    slot = key.first;
    track = out.names.size();
    out.names.push_back(fmt::format("slot {} buffer {} ({})", key.first, buffer++, key.second));
  }
  std::vector<uint64_t> next(out.names.size(), kNoCycle);  // begin of the track's next fill
  for (size_t i = sm.fills.size(); i-- > 0;) {
    const Fill& f = sm.fills[i];
    if (f.complete == kNoCycle) continue;
    const size_t track = tracks[{f.slot, f.buffer}];
    const uint64_t end = next[track];
    const auto slice = [&](const char* what, uint64_t from, uint64_t to) {
      to = std::min(to, end);
      if (to > from) out.slices.push_back({track, from, to, what, &f});
    };
    slice("fill", f.issued, f.complete);
    if (f.first_use != kNoCycle) {
      slice("ready", f.complete, f.first_use);
      slice("use", f.first_use, f.last_use + 1);
    }
    next[track] = f.issued;
  }
  return out;
}

}  // namespace gpuloom::traces
