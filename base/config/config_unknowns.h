// SPDX-License-Identifier: Apache-2.0
// Values that no source gives: those whose comment says `estimated:` and why. `estimated beyond 9.0:` counts
// for every capability but 9.0, where it was measured.
#pragma once
#include <string>
#include <vector>

#include "base/config/config.h"

namespace gpuloom {

struct ConfigUnknown {
  std::string path;   // "sm.operations.imad_hi"
  std::string value;  // as YAML on one line; only what comes from this place
  std::string why;    // the comment
  FilePosition where;
};

struct ConfigUnknowns {
  std::vector<ConfigUnknown> estimated;  // in file order of the merged tree
  size_t values = 0;                     // scalars and lists in all
  size_t estimated_values = 0;
  std::vector<std::string> silent;  // paths of values without any comment: neither source nor estimate
};

// A value's comment stands behind it on its line, or else on the lines of their own right above it, or else
// it is that of the group around it in the same file. Where a group's comment says `all estimated`, so are
// its values that have comments of their own. Reads the files again: YAML readers drop comments. A file that
// has gone is skipped. Where a comment says `of no effect where KEY is VALUE` and the configuration has that
// value, nothing is estimated: a GPU without links has no latency of a link.
ConfigUnknowns config_unknowns(const Config& config);

}  // namespace gpuloom
