// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/api/pipeline/pipeline.h"

namespace gpuloom::sim {
namespace {

using Json = nlohmann::ordered_json;
using traces::kNoCycle;

constexpr int kPipelineSchema = 1;
constexpr size_t kBlocksShown = 2, kFillsShown = 400;  // of an SM; of a block

Json cycle(uint64_t c) { return c == kNoCycle ? Json(nullptr) : Json(c); }
double tenth(double value) { return std::round(value * 10) / 10; }

const char* kind_name(traces::CopyKind kind) {
  switch (kind) {
    case traces::CopyKind::kAsync:
      return "cp.async";
    case traces::CopyKind::kBulk:
      return "bulk copy";
    case traces::CopyKind::kTensor:
      return "tensor copy";
    case traces::CopyKind::kRemote:
      return "remote store";
  }
  return "";
}

Json producer_json(const PipelineProducer& p) {
  return {{"at", p.place},
          {"kind", kind_name(p.kind)},
          {"by", p.barrier ? "mbarrier" : "group"},
          {"waited_at", p.wait_place},
          {"used_at", p.use_place},
          {"fills", p.fills},
          {"bytes", p.bytes},
          {"buffers", p.buffers},
          {"fill_cycles", tenth(p.fill)},
          {"fill_cycles_max", p.fill_most},
          {"late_fills", p.late_fills},
          {"late_cycles", tenth(p.late)},
          {"ready_cycles", tenth(p.ready)},
          {"use_cycles", tenth(p.use)},
          {"period_cycles", tenth(p.period)},
          {"step_cycles", tenth(p.step)},
          {"buffers_needed", p.buffers_needed == 0 ? Json(nullptr) : Json(p.buffers_needed)},
          {"says", lateness(p)},
          {"advice", advice(p)}};
}

size_t producer_of(const Pipeline& p, const traces::Fill& f) {
  const std::string& at = f.copy_at < p.places.size() ? p.places[f.copy_at] : p.kernel;
  const auto found = std::find_if(p.producers.begin(), p.producers.end(),
                                  [&](const PipelineProducer& m) { return m.place == at; });
  return static_cast<size_t>(found - p.producers.begin());
}

Json fill_json(const Pipeline& p, const traces::Fill& f) {
  Json j = {{"n", f.number},
            {"producer", producer_of(p, f)},
            {"buffer", f.buffer},
            {"bytes", f.bytes},
            {"warp", f.warp},
            {"issued", f.issued},
            {"complete", cycle(f.complete)}};
  if (f.barrier != kNoCycle) j["mbarrier"] = f.barrier;
  if (f.wait_begin != kNoCycle) {
    j["wait"] = {f.wait_begin, f.wait_end};
    j["wait_warp"] = f.wait_warp;
    j["waited"] = f.waited;
  }
  if (f.first_use != kNoCycle) {
    j["use"] = {f.first_use, f.last_use};
    j["use_warp"] = f.use_warp;
  }
  if (f.reused != kNoCycle) j["reused"] = f.reused;
  return j;
}

// The first blocks of an SM, each with its first fills: what a picture shows.
void add_blocks(const Pipeline& p, const PipelineSm& sm, Json& list) {
  std::vector<uint64_t> blocks;
  for (const traces::Fill& f : sm.fills)
    if (std::find(blocks.begin(), blocks.end(), f.block) == blocks.end() && blocks.size() < kBlocksShown)
      blocks.push_back(f.block);
  for (const uint64_t block : blocks) {
    Json j = {{"sm", sm.sm}, {"block", block}};
    Json& fills = j["fills"] = Json::array();
    size_t left = 0;
    for (const traces::Fill& f : sm.fills) {
      if (f.block != block || f.complete == kNoCycle) continue;
      if (fills.size() < kFillsShown)
        fills.push_back(fill_json(p, f));
      else
        ++left;
    }
    if (left != 0) j["left_out"] = left;
    Json& waits = j["free_waits"] = Json::array();
    for (const traces::FreeWait& w : sm.free_waits)
      if (w.block == block && waits.size() < kFillsShown)
        waits.push_back({{"warp", w.warp}, {"wait", {w.begin, w.end}}});
    list.push_back(std::move(j));
  }
}

Json launch_json(const Pipeline& p) {
  Json j = {{"kernel", p.kernel}, {"cycles", p.cycles}};
  Json& sms = j["sms"] = Json::array();
  for (const PipelineSm& sm : p.sms) sms.push_back(sm.sm);
  Json& producers = j["producers"] = Json::array();
  for (const PipelineProducer& m : p.producers) producers.push_back(producer_json(m));
  Json& waits = j["free_waits"] = Json::array();
  for (const PipelineFreeWait& w : p.free_waits)
    waits.push_back({{"at", w.place}, {"waits", w.waits}, {"cycles", tenth(w.cycles)}});
  Json& blocks = j["blocks"] = Json::array();
  for (const PipelineSm& sm : p.sms) add_blocks(p, sm, blocks);
  if (!p.notes.empty()) j["notes"] = p.notes;
  return j;
}

Json stage_json(const PipelineStage& s) {
  if (!s.failure.empty()) return {{"stages", s.stages}, {"failure", s.failure}};
  return {{"stages", s.stages},
          {"cycles", s.cycles},
          {"shared_bytes", s.shared_bytes},
          {"occupancy_pct", tenth(s.occupancy_pct)},
          {"main", producer_json(s.main)}};
}

}  // namespace

std::string pipeline_json(const PipelineReport& report) {
  const ReportProvenance& p = report.provenance;
  Json j = {{"schema", kPipelineSchema}};
  j["provenance"] = {
      {"version", p.version},   {"config", p.config},         {"config_sha256", p.config_sha256},
      {"ptx", p.ptx},           {"ptx_sha256", p.ptx_sha256}, {"launch", p.launch},
      {"lowering", p.lowering}, {"sources", p.sources}};
  Json& launches = j["launches"] = Json::array();
  for (const Pipeline& launch : report.launches) launches.push_back(launch_json(launch));
  if (!report.stages.empty()) {
    j["macro"] = report.macro;
    Json& stages = j["stages"] = Json::array();
    for (const PipelineStage& s : report.stages) stages.push_back(stage_json(s));
  }
  return j.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gpuloom::sim
