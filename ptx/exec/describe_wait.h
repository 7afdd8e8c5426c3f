// SPDX-License-Identifier: Apache-2.0
// Who waits for what, in words: what a message of a deadlock says.
#pragma once
#include <string>

namespace gpuloom::ptx {

struct Cta;
struct Warp;

// What a warp waits for, in words that follow its name.
std::string describe_wait(const Warp& w);
// The same of each warp of a block that has not exited; the first eight of them.
std::string describe_waits(const Cta& cta);

}  // namespace gpuloom::ptx
