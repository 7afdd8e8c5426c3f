// SPDX-License-Identifier: Apache-2.0
// The comments of configuration files, which YAML readers drop: sources and reasons. Reads the files again;
// one that has gone has none.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/error.h"

namespace gpuloom {

class ConfigComments {
 public:
  // The comment that belongs to what begins on this line: behind it, or on the lines of their own right above
  // it; "" without one.
  std::string of(const FilePosition& where);
  // The line of the key that this line's key stands below, 0 at the top. By indentation in its own file: in
  // the merged tree the group around a value may come from another one.
  uint32_t group(const FilePosition& where);
  // The value's own comment, or else that of the nearest group around it that has one.
  std::string explaining(FilePosition where);

 private:
  const std::vector<std::string>& file(const std::string& name);
  std::map<std::string, std::vector<std::string>> files_;
};

}  // namespace gpuloom
