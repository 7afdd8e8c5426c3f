// SPDX-License-Identifier: Apache-2.0
// The folder behind a report that a command writes: the one that was asked for with -o, else one that goes
// with this object, where only the page (--html) was.
#pragma once
#include <optional>
#include <string>

#include "sim/api/html/html_report.h"
#include "sim/api/html/page_run.h"
#include "sim/cli/html_file.h"
#include "sim/memory/files.h"
#include "sim/memory/scratch_folder.h"

namespace gpuloom::cli {

class PageFolder {
 public:
  PageFolder(const std::string& output, const std::string& html) : html_(html), path_(output) {
    if (path_.empty() && !html.empty()) path_ = own_.emplace().path();
  }
  const std::string& path() const { return path_; }  // "": none
  // The page of what lies there, called `launch` where the folder is not the reader's.
  void write_page(const std::string& launch) const {
    if (html_.empty()) return;
    sim::PageRun run = sim::read_page_run(path_);
    if (own_) run.name = launch;
    sim::write_file(html_file(html_), sim::html_report({std::move(run)}, {}));
  }

 private:
  std::optional<sim::ScratchFolder> own_;
  std::string html_, path_;
};

}  // namespace gpuloom::cli
