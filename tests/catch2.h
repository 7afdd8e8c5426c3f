// SPDX-License-Identifier: Apache-2.0
// Catch2 by whichever name the distribution has it: Debian 12 ships version 2, Ubuntu 24.04 version 3.
#pragma once
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
namespace Catch::Matchers {
// Version 3's name, where Contains means something else.
inline auto ContainsSubstring(const std::string& text) { return Contains(text); }
}  // namespace Catch::Matchers
#endif
