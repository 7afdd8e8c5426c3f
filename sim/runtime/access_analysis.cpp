// SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/access_analysis.h"

#include <algorithm>
#include <bit>

#include "arch/sm/coalescer.h"
#include "ptx/exec/tensor_map.h"
#include "sim/runtime/access_hint.h"
#include "sim/runtime/source_place.h"

namespace gpuloom::sim {
namespace {

using ptx::AccessOp;
using ptx::Space;

constexpr uint32_t kNone = UINT32_MAX;
constexpr size_t kSamples = 8;

bool accesses_memory(const ptx::Instr& in) {
  switch (in.kind) {
    case ptx::InstrKind::kLoad:
    case ptx::InstrKind::kStore:
    case ptx::InstrKind::kAtomic:
    case ptx::InstrKind::kAsyncCopy:
      return true;
    default:
      return false;
  }
}

bool is_shared(Space space) { return space == Space::kShared || space == Space::kSharedCluster; }

const char* space_word(Space space) {
  switch (space) {
    case Space::kShared:
    case Space::kSharedCluster:
      return "shared";
    case Space::kLocal:
      return "local";
    default:
      return "global";
  }
}

std::string operation_name(AccessOp op, Space space) {
  const std::string where = space == Space::kSharedCluster ? "shared::cluster" : space_word(space);
  switch (op) {
    case AccessOp::kLoad:
      return "ld." + where;
    case AccessOp::kStore:
      return "st." + where;
    case AccessOp::kAtomic:
      return "atom." + where;
    case AccessOp::kReduce:
      return "red." + where;
    case AccessOp::kAsyncCopy:
      return "cp.async";
    case AccessOp::kMatrixLoad:
      return "ldmatrix";
    case AccessOp::kMatrixStore:
      return "stmatrix";
    case AccessOp::kPrefetch:
      return "prefetch";
    case AccessOp::kNone:
      break;
  }
  return "";
}

const char* copy_name(ptx::AsyncKind kind, bool tensor) {
  switch (kind) {
    case ptx::AsyncKind::kBulkCopy:
      return tensor ? "cp.async.bulk.tensor" : "cp.async.bulk";
    case ptx::AsyncKind::kBulkReduce:
      return tensor ? "cp.reduce.async.bulk.tensor" : "cp.reduce.async.bulk";
    case ptx::AsyncKind::kBulkPrefetch:
      return "cp.async.bulk.prefetch";
    case ptx::AsyncKind::kStore:
      return "st.async";
    case ptx::AsyncKind::kReduce:
      return "red.async";
    default:
      return "cp.async";
  }
}

uint64_t sectors_of(uint64_t address, uint64_t bytes) {
  return bytes == 0 ? 0 : (address + bytes - 1) / 32 - address / 32 + 1;
}

}  // namespace

AccessAnalysis::AccessAnalysis(const arch::SmConfig& config, const ptx::MachineProgram& machine,
                               LineRule rule)
    : program_(*machine.program),
      rule_(rule),
      geometry_{config.shared.banks, config.shared.bank_bytes},
      group_of_(program_.code.size(), kNone),
      silent_(program_.code.size(), 0),
      atomic_(program_.code.size(), arch::SharedAtomic::kNone),
      first_of_(program_.code.size()),
      sites_(program_.code.size()) {
  std::vector<uint32_t> first(program_.sources.size(), kNone);
  for (uint32_t pc = 0; pc < program_.code.size(); ++pc) {
    uint32_t& of_source = first[program_.code[pc].source];
    if (of_source == kNone) of_source = pc;
    first_of_[pc] = of_source;
  }
  std::vector<uint8_t> own(program_.code.size(), 0);
  for (size_t k = 0; k < machine.ops.size(); ++k) {
    const ptx::MachineOp& op = machine.ops[k];
    if (!op.memory) continue;
    own[op.source] = 1;
    atomic_[op.source] = machine.records[k].shared_atomic;
  }
  for (size_t pc = 0; pc < program_.code.size(); ++pc)
    silent_[pc] = program_.code[pc].op_class == static_cast<uint16_t>(ptx::OpClass::none);
  // Instructions that take effect with an operation that is not their own are joined to it.
  for (const ptx::MachineOp& op : machine.ops) {
    if (!op.memory || op.exec_count < 2) continue;
    Group group{op.source, op.source, op.lane_bytes};
    std::vector<uint32_t> members;
    for (uint32_t pc = op.exec_first; pc < op.exec_first + op.exec_count; ++pc)
      if (accesses_memory(program_.code[pc]) && !silent_[pc] && (pc == op.source || !own[pc]))
        members.push_back(pc);
    if (members.size() < 2) continue;
    group.last = members.back();
    for (const uint32_t pc : members) group_of_[pc] = static_cast<uint32_t>(groups_.size());
    groups_.push_back(group);
  }
}

void AccessAnalysis::accessed(const ptx::Warp& w, uint32_t pc, const ptx::MemoryAccess& access) {
  if (silent_[pc] || access.lanes == 0) return;
  const bool copies = program_.code[pc].op_class == static_cast<uint16_t>(ptx::OpClass::ldgsts);
  if (access.op == AccessOp::kAsyncCopy && !copies) return;  // a bulk copy: see copied()
  switch (access.space) {
    case Space::kGlobal:
    case Space::kLocal:
    case Space::kShared:
    case Space::kSharedCluster:
      break;
    default:
      return;  // constant bank and parameters have no sectors and banks to speak of
  }
  if (group_of_[pc] != kNone)
    joined(w, pc, access, group_of_[pc]);
  else
    count(w.cta->cluster_rank, pc, access, access.lane_bytes, 1);
}

// The lanes' lowest addresses, until the last of the group has come. A warp's turn may end in the middle.
void AccessAnalysis::joined(const ptx::Warp& w, uint32_t pc, const ptx::MemoryAccess& access,
                            uint32_t group) {
  auto at = std::find_if(pending_.begin(), pending_.end(), [&](const Pending& p) { return p.warp == &w; });
  if (at == pending_.end() || at->group != group) {
    if (at != pending_.end()) {  // its last instruction was predicated off
      count(at->rank, groups_[at->group].source, at->sum, groups_[at->group].lane_bytes, at->joined);
      pending_.erase(at);
    }
    pending_.push_back({&w, w.cta->cluster_rank, group, 1, access});
    at = pending_.end() - 1;
  } else {
    ++at->joined;
    ptx::MemoryAccess& sum = at->sum;
    for (unsigned l = 0; l < 32; ++l)
      if (access.lanes >> l & 1)
        sum.address[l] = sum.lanes >> l & 1 ? std::min(sum.address[l], access.address[l]) : access.address[l];
    sum.lanes |= access.lanes;
  }
  if (pc != groups_[group].last) return;
  count(at->rank, groups_[group].source, at->sum, groups_[group].lane_bytes, at->joined);
  pending_.erase(at);
}

SiteRecord& AccessAnalysis::site(uint32_t pc, AccessOp op, Space space, unsigned lane_bytes) {
  pc = first_of_[pc];
  for (SiteRecord& s : sites_[pc])
    if (s.space == space && s.lane_bytes == lane_bytes && s.op == op) return s;
  SiteRecord& s = sites_[pc].emplace_back();
  s.pc = pc;
  s.op = op;
  s.space = space;
  s.lane_bytes = static_cast<uint8_t>(lane_bytes);
  return s;
}

void AccessAnalysis::keep(SiteRecord& s, uint64_t cost, uint32_t lanes, const uint64_t* address) {
  if (s.samples.size() == kSamples && s.samples.back().cost >= cost) return;
  AccessSample sample;
  sample.lanes = lanes;
  sample.cost = cost;
  std::copy_n(address, 32, sample.address);
  const auto after = std::find_if(s.samples.begin(), s.samples.end(),
                                  [&](const AccessSample& other) { return other.cost < cost; });
  s.samples.insert(after, sample);
  if (s.samples.size() > kSamples) s.samples.pop_back();
}

void AccessAnalysis::count(uint32_t own_rank, uint32_t pc, const ptx::MemoryAccess& access,
                           unsigned lane_bytes, uint32_t joined) {
  if (lane_bytes == 0) lane_bytes = 1;
  SiteRecord& s = site(pc, access.op, access.space, std::max<unsigned>(lane_bytes, access.lane_bytes));
  s.joined = std::max(s.joined, joined);
  s.rows = access.rows;
  for (unsigned piece = 0; piece < access.pieces; ++piece) {
    ++s.counts.requests;
    const auto lanes = static_cast<uint64_t>(std::popcount(access.lanes));
    s.counts.lanes += lanes;
    s.counts.bytes += lanes * s.lane_bytes;
    if (is_shared(access.space))
      count_shared(s, pc, access, own_rank);
    else
      count_sectors(s, access, access.pieces > 1 ? access.piece_offset[piece] : 0);
  }
}

void AccessAnalysis::count_shared(SiteRecord& s, uint32_t pc, const ptx::MemoryAccess& access,
                                  uint32_t own_rank) {
  const bool matrix = access.op == AccessOp::kMatrixLoad || access.op == AccessOp::kMatrixStore;
  const arch::BankPasses passes =
      arch::shared_passes(geometry_, access, arch::lanes_here(access, own_rank), s.lane_bytes, atomic_[pc]);
  s.counts.wavefronts += passes.passes;
  s.counts.ideal_wavefronts += passes.phases;
  s.counts.conflicts += passes.conflicts();
  s.worst_degree = std::max<uint32_t>(s.worst_degree, passes.conflicts() == 0 ? 1 : passes.most);
  const uint32_t lanes = matrix ? static_cast<uint32_t>((uint64_t{1} << access.rows) - 1) : access.lanes;
  keep(s, passes.conflicts(), lanes, access.address);
}

void AccessAnalysis::count_sectors(SiteRecord& s, const ptx::MemoryAccess& access, int64_t offset) {
  arch::Coalesced lines;
  uint64_t address[32];
  unsigned sectors = 0;
  if (access.space ==
      Space::kLocal) {  // words of a lane lie in lines of their own (arch/sm/execution_access.cpp)
    for (unsigned at = 0; at < s.lane_bytes; at += 4) {
      for (unsigned l = 0; l < 32; ++l)
        address[l] = ((access.address[l] + at) / 4 * 32 + l) * 4 + access.address[l] % 4;
      arch::coalesce(address, access.lanes, std::min<unsigned>(s.lane_bytes, 4), false, lines);
      sectors += lines.sectors;
      s.counts.ideal_sectors += lines.ideal_sectors;
    }
  } else {
    for (unsigned l = 0; l < 32; ++l) address[l] = access.address[l] + static_cast<uint64_t>(offset);
    arch::coalesce(address, access.lanes, s.lane_bytes, false, lines);
    sectors = lines.sectors;
    // Lanes that ask for the same bytes need them once.
    s.counts.ideal_sectors += std::min(lines.ideal_sectors, lines.sectors);
  }
  s.counts.sectors += sectors;
  s.worst_sectors = std::max(s.worst_sectors, sectors);
  keep(s, sectors, access.lanes, access.address);
  if (access.op == AccessOp::kAsyncCopy) {
    for (unsigned l = 0; l < 32; ++l) address[l] = access.shared_offset[l];
    const arch::BankPasses passes = arch::bank_passes(geometry_, address, access.lanes, s.lane_bytes);
    s.counts.wavefronts += passes.passes;
    s.counts.ideal_wavefronts += passes.phases;
    s.counts.conflicts += passes.conflicts();
  }
}

void AccessAnalysis::copied(const ptx::Warp&, uint32_t pc, const ptx::AsyncOperation& copy) {
  SiteRecord& s = site(pc, AccessOp::kAsyncCopy,
                       copy.source_space == Space::kGlobal ? copy.source_space : copy.target_space, 0);
  s.copy = copy_name(copy.kind, copy.tensor != nullptr);
  ++s.counts.requests;
  ++s.counts.lanes;
  s.counts.bytes += copy.tensor != nullptr ? copy.tensor->bytes : copy.bytes;
  const bool from = copy.source_space == Space::kGlobal, to = copy.target_space == Space::kGlobal;
  if (!from && !to) return;
  if (copy.tensor == nullptr) {
    const uint64_t sectors = sectors_of(from ? copy.source : copy.target, copy.bytes);
    s.counts.sectors += sectors;
    s.counts.ideal_sectors += (copy.bytes + 31) / 32;
    return;
  }
  for (const ptx::TensorRun& run : copy.tensor->runs) {
    s.counts.sectors += sectors_of(run.address, run.bytes);
    s.counts.ideal_sectors += (run.bytes + 31) / 32;
  }
}

AccessSite AccessAnalysis::finished(const SiteRecord& r) const {
  AccessSite s;
  const SourcePlace place = source_place(program_, r.pc, rule_);
  s.file = place.file;
  s.line = place.line;
  s.ptx_line = place.ptx_line;
  s.operation = operation_name(r.op, r.space);
  s.space = space_word(r.space);
  s.lane_bytes = r.lane_bytes;
  s.joined = r.joined;
  s.counts = r.counts;
  s.worst_sectors = r.worst_sectors;
  s.worst_degree = r.worst_degree;
  if (!r.samples.empty()) s.worst_addresses.assign(r.samples[0].address, r.samples[0].address + 32);
  return s;
}

AccessReport AccessAnalysis::report() {
  for (const Pending& p : pending_)
    count(p.rank, groups_[p.group].source, p.sum, groups_[p.group].lane_bytes, p.joined);
  pending_.clear();
  AccessReport report;
  report.kernel = program_.name;
  report.banks = geometry_.banks;
  report.bank_bytes = geometry_.bank_bytes;
  std::vector<const SiteRecord*> records;
  for (const auto& at : sites_)
    for (const SiteRecord& r : at) records.push_back(&r);
  const AccessHints hints(geometry_, records);
  for (const SiteRecord* r : records) {
    AccessSite s = finished(*r);
    if (r->copy != nullptr) s.operation = r->copy;
    s.hints = hints.of(*r);
    s.banks = hints.banks_of(*r);
    report.sites.push_back(std::move(s));
  }
  std::stable_sort(report.sites.begin(), report.sites.end(),
                   [](const AccessSite& a, const AccessSite& b) { return a.ptx_line < b.ptx_line; });
  return report;
}

}  // namespace gpuloom::sim
