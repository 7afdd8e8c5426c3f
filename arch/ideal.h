// SPDX-License-Identifier: Apache-2.0
// What a kernel would take if one mechanism of the machine cost nothing: the group `ideal`. Each switch
// changes time alone: a kernel computes what it always does. All are off in every configuration of the tree.
#pragma once

namespace gpuloom {
class ConfigView;
}

namespace gpuloom::arch {

struct GpuConfig;

// Limits of the blocks on an SM that do not count.
struct IdealOccupancy {
  bool registers = false, shared = false, warps = false, blocks = false;
};

struct IdealConfig {
  bool bank_conflicts = false;    // an access to shared memory takes the passes that its words need
  bool coalescing = false;        // the lanes of a global access lie together
  bool atomics = false;           // atomics of one word do not wait for each other in L2
  bool combined_atomics = false;  // what a warp adds to a word goes to L2 once
  bool local_memory = false;      // local accesses take no time beyond their issue, spills none
  bool l1 = false;                // what may be in the L1 is there
  bool l2 = false;                // all is in L2
  bool l2_capacity = false;       // what has been in L2 stays there
  bool dram_latency = false;      // memory answers as soon as its bus is free
  bool dram_bandwidth = false;    // memory answers after its latency, however much is asked of it
  bool copies = false;            // what asynchronous copies bring is there at once, though it takes its way
  bool barriers = false;        // what a warp has waited at barriers of block and cluster is given back to it
  bool divergence = false;      // a part of a warp takes a part of the time
  bool partial_warps = false;   // a warp that is not full takes a part of the time
  bool fences = false;          // fences order, and take no time
  bool constants = false;       // an indexed load of constants takes the time of one address
  bool uncached_loads = false;  // loads that go around the L1 look there first
  bool shared_loads = false;    // words of shared memory that lie together come with one load
  bool data_passes = false;     // passes of the L1's data stage do not wait for each other
  bool reloads = false;         // what a thread has loaded before is in a register
  bool division = false;        // a division takes the time of a product
  bool conversions = false;     // conversions between types of numbers take none
  bool exchanges = false;       // nor do shuffles, votes, matches and reductions of a warp
  bool slices = false;          // lines are spread over the slices of L2
  bool functions = false;       // a polynomial is one special function, and costs no more
  bool calls = false;           // calls and returns take no time, nor does finding out whom to call
  bool lone_threads = false;    // what one lane of a warp does alone takes its part of the time
  bool common_work = false;     // loops in which all threads do the same take no time
  bool wide_integers = false;   // integers of 64 bits take the time of those of 32
  bool prologue = false;        // what a warp does before its first access to memory takes a part of the time
  bool loop_overhead = false;   // nor does counting, comparing and branching of loops
  bool double_precision = false;   // doubles take the time of floats, and conversions between them none
  bool dependences = false;        // no operation waits for the result of another
  bool issue = false;              // a sub-core issues all that is ready
  bool instruction_fetch = false;  // all code is in the L0 caches
  bool launch = false;             // the launch, and handing out blocks, takes no time
  bool tail = false;               // SMs share the end of the grid evenly
  IdealOccupancy occupancy;
};

// `ideal` but for its pipes, which sm.pipes have (PipeConfig::ideal). A configuration without it has none on.
IdealConfig read_ideal_config(const ConfigView& view);

// Gives the values that a switch replaces: those of the launch, of barriers, of memory pipes, of occupancy.
// The others are asked where their mechanism is.
void apply_ideal(GpuConfig& config);

}  // namespace gpuloom::arch
