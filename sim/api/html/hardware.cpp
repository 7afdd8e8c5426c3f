// SPDX-License-Identifier: Apache-2.0
#include "sim/api/html/hardware.h"

#include <fmt/core.h>

#include <string>

#include "arch/sm/issue_rate.h"
#include "ptx/isa/table/op_class.h"

namespace gpuloom::sim {
namespace {

using Json = nlohmann::ordered_json;
using ptx::OpClass;

struct Kind {
  const char *id, *name;
  OpClass op;
  double operations;  // of one warp instruction
  const char* key;
};
// Operations of a warp instruction: 32 lanes, two each of a multiply-add, twice that of packed halves. The
// shapes of matrix instructions are PTX's: m16n8k16 and so on, two operations a product.
constexpr Kind kKinds[] = {
    {"fp32", "FP32", OpClass::ffma, 32 * 2, "ffma"},
    {"fp64", "FP64", OpClass::dfma, 32 * 2, "dfma"},
    {"fp16", "FP16 and BF16, packed", OpClass::hfma2, 32 * 4, "hfma2"},
    {"mma_half", "Matrix, FP16 and BF16 (mma)", OpClass::hmma_16816, 16 * 8 * 16 * 2, "hmma_16816"},
    {"mma_int8", "Matrix, INT8 (mma)", OpClass::imma_16832, 16 * 8 * 32 * 2, "imma_16832"},
};

}  // namespace

Json hardware_json(const arch::GpuConfig& gpu) {
  const arch::SmConfig& sm = gpu.sm;
  const double sms = gpu.sm_count();
  Json j = {{"name", gpu.name},
            {"sms", gpu.sm_count()},
            {"sub_cores", sm.sub_cores},
            {"clock_hz", gpu.clock_hz},
            {"warps_per_sm", sm.limits.warps_per_sm},
            {"blocks_per_sm", sm.limits.blocks_per_sm},
            {"l2_slices", gpu.l2.slices},
            {"dram_channels", gpu.dram.channels}};
  Json& bandwidths = j["bandwidths"] = Json::array();
  const auto bandwidth = [&](const char* id, const char* name, double bytes, std::string from) {
    bandwidths.push_back({{"id", id}, {"name", name}, {"bytes_per_s", bytes}, {"from", std::move(from)}});
  };
  bandwidth("l1", "L1", sm.l1.bytes_per_cycle * sms * gpu.clock_hz,
            fmt::format("sm.l1.bytes_per_cycle {:g} x {} SMs x {:g} GHz", sm.l1.bytes_per_cycle,
                        gpu.sm_count(), gpu.clock_hz / 1e9));
  bandwidth("shared", "Shared memory", double(sm.shared.banks) * sm.shared.bank_bytes * sms * gpu.clock_hz,
            fmt::format("sm.shared.banks {} x {} bytes x {} SMs x {:g} GHz", sm.shared.banks,
                        sm.shared.bank_bytes, gpu.sm_count(), gpu.clock_hz / 1e9));
  bandwidth("l2", "L2", gpu.l2.bytes_per_cycle * gpu.l2.slices * gpu.l2.clock_hz,
            fmt::format("l2.bytes_per_cycle {:g} x {} slices x {:g} GHz", gpu.l2.bytes_per_cycle,
                        gpu.l2.slices, gpu.l2.clock_hz / 1e9));
  bandwidth("dram", "DRAM", gpu.dram.bandwidth,
            fmt::format("dram.bandwidth {:g} TB/s", gpu.dram.bandwidth / 1e12));
  Json& rates = j["rates"] = Json::array();
  rates.push_back({{"id", "issue"},
                   {"name", "Issue of warp instructions"},
                   {"operations_per_s", sm.sub_cores * sms * gpu.clock_hz},
                   {"from", fmt::format("one instruction a cycle x sm.sub_cores {} x {} SMs x {:g} GHz",
                                        sm.sub_cores, gpu.sm_count(), gpu.clock_hz / 1e9)}});
  for (const Kind& kind : kKinds) {
    const double rate = arch::issue_rate(sm, kind.op);
    if (rate <= 0) continue;
    rates.push_back(
        {{"id", kind.id},
         {"name", kind.name},
         {"operations_per_s", rate * kind.operations * sms * gpu.clock_hz},
         {"from", fmt::format("sm.operations.{}: {:g} warp instructions a cycle of an SM x {:g} "
                              "operations x {} SMs x {:g} GHz",
                              kind.key, rate, kind.operations, gpu.sm_count(), gpu.clock_hz / 1e9)}});
  }
  return j;
}

}  // namespace gpuloom::sim
