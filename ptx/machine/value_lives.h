// SPDX-License-Identifier: Apache-2.0
// Where each value lives in the final order, and what registers it may take for that.
#pragma once
#include "ptx/machine/graph.h"
#include "ptx/machine/register_file.h"

namespace gpuloom::ptx {

struct ValueLives {  // by virtual register
  std::vector<Life> of;
  std::vector<std::vector<Range>> unread;  // where a memory operation may not have read the value yet
  std::vector<uint8_t> in_called;          // made in a function of the convention
  std::vector<uint8_t> across_call;        // lives across a call of such a function
  std::vector<uint8_t> loaded;             // made by a load
  bool calls = false;                      // there is such a call
};

// `at_once`: what memory operations read may be written behind them; otherwise, with `waits`, it lives until
// they have read it, and without it is noted as unread.
ValueLives lives_of(const Graph& g, const VirtualLiveness& live, bool at_once, bool waits);

}  // namespace gpuloom::ptx
