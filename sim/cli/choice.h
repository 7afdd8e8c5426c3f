// SPDX-License-Identifier: Apache-2.0
// An option that takes one of some words.
#pragma once
#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"

namespace gpuloom::cli {

inline CLI::Validator one_of(std::vector<std::string> words) {
  const std::string listed = "{" + join(words, ",") + "}";
  return CLI::Validator(
      [words = std::move(words)](const std::string& text) {
        if (std::find(words.begin(), words.end(), text) != words.end()) return std::string();
        return "'" + text + "' is not " + either(words);
      },
      listed);
}

}  // namespace gpuloom::cli
