// SPDX-License-Identifier: Apache-2.0
// The whole device: GPCs, crossbar, L2 slices, DRAM channels, bound to each other.
#pragma once
#include <memory>
#include <vector>

#include "arch/dram/dram_channel.h"
#include "arch/gpc/gpc.h"
#include "arch/l2/l2_slice.h"
#include "arch/noc/crossbar.h"

namespace gpuloom::arch {

class Gpu : public sim::Module {
 public:
  Gpu(const sim::ModuleName& name, const GpuConfig& config);

  std::vector<std::unique_ptr<Gpc>> gpcs;
  std::vector<Sm*> sms;  // by number
  std::unique_ptr<Crossbar> crossbar;
  std::vector<std::unique_ptr<L2Slice>> slices;
  std::vector<std::unique_ptr<DramChannel>> channels;
  std::vector<std::unique_ptr<DramPort>> ports;  // of slices that share a channel with the slice before
  void add_stats(stats::Collector& collector);

 private:
  const GpuConfig& config_;
  std::vector<std::string> labels_;
};

}  // namespace gpuloom::arch
