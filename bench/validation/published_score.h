// SPDX-License-Identifier: Apache-2.0
// Published figures beside what the board's configuration gives for the same: gpuloom score --published.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/validation/published_data.h"

namespace gpuloom::validation {

struct PublishedResult {
  const PublishedRow* row = nullptr;
  std::optional<double> simulated;
  std::string message;  // why there is none
  // |ln(simulated / published)|
  std::optional<double> error() const;
};

// Hears of each process that ends: how many have, of how many, and the board that it measured.
using PublishedProgress = std::function<void(size_t ended, size_t of, const std::string& board)>;
// Runs the rows of one board, or of all where it is empty, `jobs` processes at a time: one for each board and
// probe. Results come in the order of boards and rows, whatever the number of processes.
std::vector<PublishedResult> score_published(const PublishedData& data, const std::string& board,
                                             const std::string& probe, unsigned jobs,
                                             const PublishedProgress& progress);

// Errors of rows of one class that count: measured, and no value of the configuration rests on them.
struct PublishedErrors {
  size_t rows = 0;
  double median = 0, ninetieth = 0;
};
using BoardFilter = std::function<bool(const std::string& board)>;
PublishedErrors published_errors(const std::vector<PublishedResult>& results, const BoardFilter& of,
                                 std::string_view kind);

// What two owners of one board differ by where both have published a figure: the least that any model can
// reach.
PublishedErrors published_noise(const PublishedData& data);

std::string published_text(const PublishedData& data, const std::vector<PublishedResult>& results, bool rows);
std::string published_markdown(const PublishedData& data, const std::vector<PublishedResult>& results);
// configs/about/expected_errors.yaml: errors by configuration, over all boards that were held against it.
std::string published_expected(const PublishedData& data, const std::vector<PublishedResult>& results);
std::string published_csv(const std::vector<PublishedResult>& results);

}  // namespace gpuloom::validation
