// SPDX-License-Identifier: Apache-2.0
// Where configuration files are. Inner header of base/config.
#pragma once
#include <string>

namespace gpuloom {

// A file and how messages name it.
struct FoundConfig {
  std::string path;   // canonical, for cycle detection
  std::string shown;  // relative to the working directory if the file is below it
};

// The file for a name given by a user. Throws Error (kInput) that names the nearest configuration.
FoundConfig find_config(const std::string& name);

// The profile of a group: a file of the folder that is called as the group, or a path. Throws Error(kInput).
FoundConfig find_profile(const std::string& group, const std::string& name, const struct FilePosition& where);

// The file for the `extends` value of `from`: a path relative to its folder, with or without ".yaml", or a
// name below the configuration directory. `where` is the value's position.
FoundConfig find_extended(const std::string& name, const std::string& from, const struct FilePosition& where);

// Whether a file lies in the configuration directory, so that it says what a product is, not what a user
// wants changed.
bool is_shipped(const std::string& path);

}  // namespace gpuloom
