// SPDX-License-Identifier: Apache-2.0
// What others have published about GPUs (bench/published): figures, the boards that they are of, and the
// probes that measure the same here.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gpuloom::validation {

// Words of a probe or a row: "block" -> "1024".
using ProbeWords = std::map<std::string, std::string, std::less<>>;

struct PublishedRow {
  std::string board, kind;  // kind: micro or kernel
  std::string quantity, unit, source, grade;
  double value = 0;
  bool used = false;  // a value of the configuration rests on it, so it says nothing about the model
  std::string probe;  // empty: no probe measures it; `words` is then {why: ...}
  ProbeWords words;   // beside those of the probe
};

struct PublishedBoard {
  std::string name, config;
  std::vector<std::string> overrides;  // as `-s`
  std::string note;
  std::string unknown;  // what is not known of the conditions that its figures were taken in
};

struct PublishedData {
  std::string folder;
  std::vector<PublishedBoard> boards;  // in the order of the file
  std::map<std::string, ProbeWords, std::less<>> probes;
  std::vector<PublishedRow> rows;

  const PublishedBoard& board(std::string_view name) const;
};

// The tree's folder of published figures. Throws Error (kUsage) where there is none.
std::string published_folder();

// Reads boards.yaml, probes.yaml and rows.csv. Throws Error (kInput): a file that is wrong, a row whose board
// or probe is missing.
PublishedData read_published(const std::string& folder);

}  // namespace gpuloom::validation
