// SPDX-License-Identifier: Apache-2.0
// Linking of PTX texts, as nvcc -rdc=true leaves them to its linker.
#pragma once
#include <set>
#include <string>
#include <vector>

namespace gpuloom::frontend {

// One module of several translation units. Declarations of what another unit defines are left out, weak and
// common definitions stand once, names that units keep to themselves are made to differ. Of the units only
// those are taken that define one of `wanted` names, or something that a unit which is taken refers to: nvcc
// puts its whole device runtime beside every program. `wanted` empty: all. Throws Error (kInput) where two
// units define one visible name.
std::string link_ptx(std::vector<std::string> texts, const std::set<std::string>& wanted = {});

}  // namespace gpuloom::frontend
