// SPDX-License-Identifier: Apache-2.0
// The folder of a run (-o): one run at a time writes to it, and what it holds of another run is not lost
// without a word.
#pragma once
#include <string>

#include "sim/report/result.h"

namespace gpuloom::cli {

class OutputFolder {
 public:
  // Makes and locks the folder. Throws Error (kInput) where another process is writing to it, and where it
  // holds the result of another launch, configuration or mode, unless `force`.
  OutputFolder(const std::string& path, const ReportProvenance& coming, bool force);
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;
  ~OutputFolder();

 private:
  int descriptor_ = -1;
};

}  // namespace gpuloom::cli
