// SPDX-License-Identifier: Apache-2.0
#include "sim/api/occupancy.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/config/config.h"
#include "base/config/config_changes.h"
#include "base/error.h"
#include "sim/runtime/device.h"
#include "sim/runtime/launch_occupancy.h"

namespace gpuloom::sim {
namespace {

using arch::KernelResources;
using arch::kUnlimited;
using arch::Occupancy;

// Of a rendered diagnostic, without its "error[T003]: ".
std::string first_line(std::string text) {
  text.erase(std::min(text.find('\n'), text.size()));
  if (const size_t end = text.find("]: "); text.starts_with("error[") && end != std::string::npos)
    text.erase(0, end + 3);
  return text;
}

double percent_of(const arch::GpuConfig& gpu, const Occupancy& o) {
  return 100.0 * o.blocks * o.warps_per_block / gpu.sm.limits.warps_per_sm;
}

// Words for what would have to change so that one block more fits; a limit that already has room is left out.
class OccupancyAdvice {
 public:
  OccupancyAdvice(const arch::GpuConfig& gpu, const KernelResources& k, const Occupancy& o)
      : gpu_(gpu), k_(k), o_(o), wanted_(o.blocks + 1) {}

  std::vector<std::string> words() const {
    if (o_.blocks * o_.warps_per_block >= gpu_.sm.limits.warps_per_sm) return {};
    std::vector<std::string> all;
    std::string together;
    if (gain(together))
      all.push_back(fmt::format("{} blocks ({:.4g} %) with {}", wanted_, percent_with_one_more(), together));
    other_block_size(all);
    return all;
  }

 private:
  double percent_with_one_more() const {
    return 100.0 * wanted_ * o_.warps_per_block / gpu_.sm.limits.warps_per_sm;
  }

  // Everything that has to give for `wanted_` blocks of this size. False where nothing helps.
  bool gain(std::string& words) const {
    const auto add = [&](const std::string& what) { words += (words.empty() ? "" : " and ") + what; };
    if (o_.limit_warps < wanted_ || o_.limit_blocks < wanted_) return false;  // only another block size helps
    if (o_.limit_registers < wanted_) {
      const uint32_t r = most(k_.registers_per_thread, [&](KernelResources& k, uint32_t v) {
        k.registers_per_thread = v;
        return arch::occupancy(gpu_, k).limit_registers;
      });
      if (r == 0) return false;
      add(fmt::format("at most {} registers a thread ({} fewer)", r, k_.registers_per_thread - r));
    }
    if (o_.limit_shared < wanted_) {
      const uint32_t asked = k_.shared_static + k_.shared_dynamic;
      const uint32_t s = most(asked, [&](KernelResources& k, uint32_t v) {
        k.shared_static = 0;
        k.shared_dynamic = v;
        return arch::occupancy(gpu_, k).limit_shared;
      });
      if (s == asked && k_.carveout_percent < 0) return false;
      if (s == asked)
        add("a larger carve-out");
      else
        add(fmt::format("at most {} bytes of shared memory a block ({} fewer)", s, asked - s));
    }
    if (o_.limit_barriers < wanted_) {
      const uint32_t b = most(k_.barriers, [&](KernelResources& k, uint32_t v) {
        k.barriers = v;
        return arch::occupancy(gpu_, k).limit_barriers;
      });
      if (b == 0) return false;
      add(fmt::format("at most {} named barriers", b));
    }
    return !words.empty();
  }

  // The largest value below `now` with which `limit` reaches the wanted blocks; 0: none above 0 does.
  template <class Limit>
  uint32_t most(uint32_t now, Limit limit) const {
    uint32_t low = 0, high = now;  // limits fall as values grow
    while (low < high) {
      const uint32_t middle = low + (high - low + 1) / 2;
      KernelResources k = k_;
      if (limit(k, middle) >= wanted_)
        low = middle;
      else
        high = middle - 1;
    }
    return low;
  }

  void other_block_size(std::vector<std::string>& all) const {
    KernelResources k = k_;
    double best = percent_of(gpu_, o_);
    for (uint32_t threads = 32; threads <= gpu_.sm.limits.threads_per_block; threads += 32) {
      k.threads = threads;
      const double percent = percent_of(gpu_, arch::occupancy(gpu_, k));
      if (percent > best + 1e-9) best = percent;
    }
    if (best <= percent_of(gpu_, o_) + 1e-9) return;
    uint32_t nearest = 0;
    for (uint32_t threads = 32; threads <= gpu_.sm.limits.threads_per_block; threads += 32) {
      k.threads = threads;
      if (percent_of(gpu_, arch::occupancy(gpu_, k)) < best - 1e-9) continue;
      const auto distance = [&](uint32_t t) { return t > k_.threads ? t - k_.threads : k_.threads - t; };
      if (nearest == 0 || distance(threads) < distance(nearest)) nearest = threads;
    }
    k.threads = nearest;
    all.push_back(
        fmt::format("{} blocks of {} threads ({:.4g} %), the nearest of the best block sizes, with the "
                    "same registers and shared memory",
                    arch::occupancy(gpu_, k).blocks, nearest, best));
  }

  const arch::GpuConfig& gpu_;
  const KernelResources& k_;
  const Occupancy& o_;
  uint32_t wanted_;
};

template <class Set>
OccupancyCurve curve(const arch::GpuConfig& gpu, const KernelResources& at, const char* name,
                     const char* unit, uint32_t now, uint32_t first, uint32_t last, uint32_t step, Set set) {
  OccupancyCurve c{name, unit, now, {}};
  for (uint32_t x = first; x <= last; x += step) {
    KernelResources k = at;
    set(k, x);
    const Occupancy o = arch::occupancy(gpu, k);
    c.points.push_back({x, o.blocks, percent_of(gpu, o)});
  }
  return c;
}

void add_curves(const arch::GpuConfig& gpu, OccupancyReport& r) {
  const arch::LimitsConfig& l = gpu.sm.limits;
  const KernelResources& k = r.resources;
  r.curves.push_back(curve(gpu, k, "block size", "threads", k.threads, 32, l.threads_per_block, 32,
                           [](KernelResources& q, uint32_t v) { q.threads = v; }));
  r.curves.push_back(curve(gpu, k, "registers", "registers a thread", k.registers_per_thread, 16,
                           l.registers_per_thread, 1,
                           [](KernelResources& q, uint32_t v) { q.registers_per_thread = v; }));
  r.curves.push_back(curve(gpu, k, "shared memory", "bytes a block", k.shared_static + k.shared_dynamic, 0,
                           l.shared_per_block_optin, 1024, [](KernelResources& q, uint32_t v) {
                             q.shared_static = 0;
                             q.shared_dynamic = v;
                           }));
}

}  // namespace

OccupancyReport occupancy_report(const arch::GpuConfig& gpu, const KernelResources& resources,
                                 uint32_t cluster) {
  OccupancyReport r;
  r.gpu = gpu.name;
  r.description = gpu.description;
  r.capability = fmt::format("{}.{}", gpu.cc_major, gpu.cc_minor);
  r.resources = resources;
  const Occupancy o = r.occupancy = arch::occupancy(gpu, resources);
  r.warps_max = gpu.sm.limits.warps_per_sm;
  r.warps = o.blocks * o.warps_per_block;
  r.percent = percent_of(gpu, o);
  r.limiters = limiters_of(o);
  r.launch_carveout = arch::launch_carveout(gpu, resources, o);
  if (o.allocated_shared != 0) r.launch_limit_shared = r.launch_carveout / o.allocated_shared;
  r.advice = OccupancyAdvice(gpu, r.resources, o).words();
  r.best = arch::max_potential_block_size(gpu, resources);
  r.cluster = cluster;
  if (cluster > 0) {
    r.clusters = cluster <= gpu.sm.limits.cluster_max ? arch::max_active_clusters(gpu, o, cluster) : 0;
    r.largest_cluster = arch::max_potential_cluster_size(gpu, o, true);
  }
  add_curves(gpu, r);
  return r;
}

OccupancyReport occupancy_report(const std::string& config, const OccupancyQuery& q) {
  DeviceOptions options;
  options.config = config;
  options.overrides = q.overrides;
  Device device(options);
  const std::string label =
      changed_name(device.gpu().name, changes_of(device.config(), device.gpu().name).size());
  KernelResources k;
  k.threads = q.block;
  k.shared_dynamic = q.shared_dynamic;
  k.carveout_percent = q.carveout_percent;
  std::string name;
  bool estimated = false;
  if (!q.ptx.empty()) {
    LoadedModule* module = nullptr;
    try {
      frontend::PtxRequest request;
      request.kernel = q.kernel;
      module = &device.load_file(q.ptx, request);
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::kUnsupported) throw;
      OccupancyReport refused;
      refused.gpu = label;
      refused.description = device.gpu().description;
      refused.capability = fmt::format("{}.{}", device.gpu().cc_major, device.gpu().cc_minor);
      refused.refusal = first_line(e.what());
      return refused;
    }
    Kernel& kernel = module->kernel(q.kernel);
    name = kernel.name();
    k.shared_static = kernel.program->shared_static_bytes;
    k.barriers = kernel.program->barrier_count;
    estimated = !q.registers;
    if (estimated) k.registers_per_thread = device.lowered(kernel).registers_per_thread;
  }
  if (q.registers) k.registers_per_thread = *q.registers;
  if (q.shared_static) k.shared_static = *q.shared_static;
  if (q.barriers) k.barriers = *q.barriers;
  OccupancyReport r = occupancy_report(device.gpu(), k, q.cluster);
  r.gpu = label;
  r.kernel = name;
  r.registers_estimated = estimated;
  return r;
}

}  // namespace gpuloom::sim
