// SPDX-License-Identifier: Apache-2.0
// What the tests of lowering lower for: the habits and limits of an H200 (configs), with latencies in round
// numbers and every composite class in one step.
#pragma once
#include "arch/gpu_config.h"
#include "ptx/machine/lower.h"
#include "sim/api/describe_lowering.h"

namespace gpuloom::ptx {

inline const MachineModel& model_of_h200() {
  static const MachineModel model = arch::machine_model(sim::gpu_of("h200"));
  return model;
}

inline MachineModel plain_model() {
  MachineModel m;
  m.profile = model_of_h200().profile;
  m.max_registers = model_of_h200().max_registers;
  m.file_registers = model_of_h200().file_registers;
  m.scoreboards = model_of_h200().scoreboards;
  m.register_unit = model_of_h200().register_unit;
  for (size_t k = 0; k < m.latency.size(); ++k) {
    const auto op = static_cast<OpClass>(k);
    m.latency[k] = {4, 1};
    if (!info(op).composite()) m.sequence[k] = {op};
  }
  const auto set = [&](OpClass op, uint16_t latency, bool variable) {
    m.latency[static_cast<size_t>(op)] = {latency, 1, variable};
  };
  for (const OpClass op : {OpClass::ldg, OpClass::ldgen, OpClass::ldl, OpClass::atomg}) set(op, 33, true);
  for (const OpClass op :
       {OpClass::lds, OpClass::ldsm, OpClass::atoms, OpClass::shfl, OpClass::ldc, OpClass::s2r})
    set(op, 24, true);
  for (const OpClass op : {OpClass::stg, OpClass::sts, OpClass::stgen, OpClass::stl, OpClass::red})
    set(op, 14, true);
  for (const OpClass op : {OpClass::mufu, OpClass::f2f, OpClass::f2i, OpClass::popc, OpClass::flo})
    set(op, 17, true);
  for (const OpClass op : {OpClass::dadd, OpClass::dmul, OpClass::dfma}) set(op, 8, false);
  return m;
}

}  // namespace gpuloom::ptx
