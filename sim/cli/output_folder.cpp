// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/output_folder.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/error.h"
#include "sim/memory/files.h"
#include "sim/report/writers.h"

namespace gpuloom::cli {
namespace {

// How the result that is there differs from the one that is coming; "" where it is of the same thing.
std::string difference(const std::string& file, const ReportProvenance& coming) {
  ReportProvenance there;
  try {
    there = parse_result_json(sim::read_file(file), file).provenance;
  } catch (const Error&) {
    return "";  // a damaged file, or one of another version: nothing to keep
  }
  if (there.launch != coming.launch) return fmt::format("of '{}'", there.launch);
  if (there.config_sha256 != coming.config_sha256)
    return fmt::format("on {}{}", there.config, there.config == coming.config ? " with other values" : "");
  return there.mode == coming.mode ? "" : fmt::format("of a {} run", there.mode);
}

}  // namespace

OutputFolder::OutputFolder(const std::string& path, const ReportProvenance& coming, bool force) {
  sim::make_folder(path);
  descriptor_ = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor_ >= 0 && flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    close(descriptor_);
    throw Error(ErrorKind::kInput, "another run is writing to the folder '" + path + "'", {},
                "give each run its own folder with -o");
  }
  const std::string file = path + "/result.json";
  if (force || !sim::file_exists(file)) return;
  if (const std::string what = difference(file, coming); !what.empty()) {
    close(descriptor_);
    throw Error(ErrorKind::kInput, fmt::format("the folder '{}' holds a result {}", path, what), {},
                "choose another folder with -o, or replace the result with --force");
  }
}

OutputFolder::~OutputFolder() {
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace gpuloom::cli
