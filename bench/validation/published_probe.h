// SPDX-License-Identifier: Apache-2.0
// A probe: a kernel of ours, launched so that it measures what a published figure says.
#pragma once
#include <memory>
#include <string>

#include "bench/validation/published_data.h"
#include "sim/api/simulator.h"

namespace gpuloom::validation {

// Runs probes on one board. Results do not depend on what ran before.
class ProbeRunner {
 public:
  // `kernels`: the folder with the probes' PTX.
  ProbeRunner(PublishedBoard board, std::string kernels)
      : board_(std::move(board)), kernels_(std::move(kernels)) {}

  // The row's figure, in the row's unit. Throws Error as a launch does, and (kInput) where the probe's words
  // are wrong.
  double measure(const ProbeWords& probe, const PublishedRow& row);

 private:
  // What a launch takes.
  struct Shape {
    uint64_t blocks = 1, blocks_y = 1, elements = 0;
    uint32_t turns = 1;
  };
  sim::Simulator& simulator(bool small_l2);
  sim::Kernel& kernel(const ProbeWords& w, std::string_view name);
  double cycles_of(const ProbeWords& w, const Shape& shape);
  double cycles_per_step(const ProbeWords& w);               // `chase`
  double stream_rate(const ProbeWords& w);                   // `stream`: bytes a second
  double turn_cycles(const ProbeWords& w, uint64_t blocks);  // one turn of a kernel that takes turns
  double seconds(const ProbeWords& w);                       // `launch`
  double base_figure(const ProbeWords& w);

  PublishedBoard board_;
  std::string kernels_;
  std::unique_ptr<sim::Simulator> simulator_;
  std::map<std::string, sim::LoadedModule*, std::less<>> modules_;
  bool small_l2_ = false;
};

}  // namespace gpuloom::validation
