// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdio>
#include <string>

namespace gpuloom::cli {

inline void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

}  // namespace gpuloom::cli
