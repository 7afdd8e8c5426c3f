// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/external_command.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "sim/api/process_pool.h"

namespace gpuloom::cli {
namespace {

constexpr std::string_view kPrefix = "gpuloom-";

std::filesystem::path own_folder() { return std::filesystem::path(sim::own_program()).parent_path(); }

}  // namespace

std::vector<std::string> external_commands() {
  std::vector<std::string> names;
  std::error_code unreadable;
  for (const auto& entry : std::filesystem::directory_iterator(own_folder(), unreadable)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(kPrefix) && name.find('.') == std::string::npos &&
        access(entry.path().c_str(), X_OK) == 0 && !entry.is_directory(unreadable))
      names.push_back(name.substr(kPrefix.size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

void become_external_command(char** argv) {
  const std::vector<std::string> names = external_commands();
  if (argv[1] == nullptr || std::find(names.begin(), names.end(), argv[1]) == names.end()) return;
  const std::string program = (own_folder() / (std::string(kPrefix) + argv[1])).string();
  argv[1] = const_cast<char*>(program.c_str());
  execv(program.c_str(), argv + 1);
}

}  // namespace gpuloom::cli
