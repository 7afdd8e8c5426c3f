// SPDX-License-Identifier: Apache-2.0
#include "arch/gpu/gpu.h"

namespace gpuloom::arch {

Gpu::Gpu(const sim::ModuleName& name, const GpuConfig& config) : Module(name), config_(config) {
  unsigned first = 0;
  for (unsigned g = 0; g < config.gpc.count; ++g) {
    gpcs.push_back(std::make_unique<Gpc>(("gpc" + std::to_string(g)).c_str(), config, g, first));
    first += gpcs.back()->size();
    for (unsigned i = 0; i < gpcs.back()->size(); ++i) sms.push_back(&gpcs.back()->sm(i));
  }
  crossbar = std::make_unique<Crossbar>("crossbar", config);
  for (unsigned c = 0; c < config.dram.channels; ++c)
    channels.push_back(std::make_unique<DramChannel>(("dram" + std::to_string(c)).c_str(), config, c));
  for (unsigned s = 0; s < config.l2.slices; ++s) {
    slices.push_back(std::make_unique<L2Slice>(("l2_" + std::to_string(s)).c_str(), config, s));
    crossbar->port(s).socket.bind(slices.back()->socket);
    const unsigned to = s * config.dram.channels / config.l2.slices;
    if (s > 0 && (s - 1) * config.dram.channels / config.l2.slices == to) {
      ports.push_back(std::make_unique<DramPort>(("dram_port" + std::to_string(s)).c_str(), *channels[to],
                                                 config.clock_hz));
      slices.back()->memory.socket.bind(ports.back()->socket);
    } else {
      slices.back()->memory.socket.bind(channels[to]->socket);
    }
  }
  for (auto& slice : slices) slice->set_slices(&slices);
  const unsigned half = config.l2.slices / 2;
  for (unsigned s = 0; config.l2.partitions == 2 && s < config.l2.slices; ++s)
    slices[s]->set_peer(slices[(s + half) % config.l2.slices].get());
}

void Gpu::add_stats(stats::Collector& collector) {
  for (Sm* sm : sms) collector.add(sm->stats, "sm" + std::to_string(sm->id()));
  for (Sm* sm : sms)
    for (unsigned i = 0; i < config_.sm.sub_cores; ++i)
      collector.add(sm->sub_core(i).stats, "sm" + std::to_string(sm->id()) + ".sub_core" + std::to_string(i));
  collector.add(crossbar->stats, "crossbar");
  for (size_t s = 0; s < slices.size(); ++s) collector.add(slices[s]->stats, "slice" + std::to_string(s));
  for (size_t c = 0; c < channels.size(); ++c)
    collector.add(channels[c]->stats, "channel" + std::to_string(c));
}

}  // namespace gpuloom::arch
