// SPDX-License-Identifier: Apache-2.0
// A check for options that take a whole number: CLI11 2.1 reads -1 as the largest of 64 bits, and its own
// check prints bounds of 300 digits.
#pragma once
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string>

#include "base/config/units.h"

namespace gpuloom::cli {

inline CLI::Validator whole_number() {
  return CLI::Validator(
      [](const std::string& text) {
        const bool digits =
            !text.empty() && text.size() < 19 && std::all_of(text.begin(), text.end(), [](char c) {
              return std::isdigit(static_cast<unsigned char>(c)) != 0;
            });
        return digits ? std::string() : "'" + text + "' is not a whole number, 0 or more";
      },
      "");
}

// For a whole number within bounds.
inline CLI::Validator between(int64_t least, int64_t most) {
  return CLI::Validator(
      [least, most](const std::string& text) {
        int64_t value = 0;
        return parse_integer(text, value) && value >= least && value <= most
                   ? std::string()
                   : "'" + text + "' is not a whole number from " + std::to_string(least) + " to " +
                         std::to_string(most);
      },
      "");
}

// For a number that is not negative, with a fraction or without.
inline CLI::Validator amount_of_time() {
  return CLI::Validator(
      [](const std::string& text) {
        double value = 0;
        return CLI::detail::lexical_cast(text, value) && value >= 0
                   ? std::string()
                   : "'" + text + "' is not a number that is 0 or more";
      },
      "");
}

}  // namespace gpuloom::cli
