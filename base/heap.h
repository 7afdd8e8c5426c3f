// SPDX-License-Identifier: Apache-2.0
// How the process's heap takes memory from the host.
#pragma once

namespace gpuloom {

// For programs that do nothing but simulate, before they allocate: the heap grows in large steps of large
// pages and keeps what it has had. A simulated GPU is a hundred megabytes of small objects that are all
// touched: page faults are a third of what its construction costs, and blocks of a kernel come and go. Does
// nothing where the C library or the host has no such choice.
void prepare_heap();

}  // namespace gpuloom
