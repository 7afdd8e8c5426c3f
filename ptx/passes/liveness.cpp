// SPDX-License-Identifier: Apache-2.0
// Backward liveness of rows. A guarded write keeps what the other lanes hold, so it ends no live range.
#include "ptx/passes/flow.h"

namespace gpuloom::ptx {

bool RowSet::merge(const RowSet& other) {
  bool changed = false;
  size_t missing = 0;
  auto mine = words_.begin();
  for (const Word& w : other.words_) {
    while (mine != words_.end() && mine->number < w.number) ++mine;
    if (mine == words_.end() || mine->number != w.number) {
      ++missing;
      continue;
    }
    changed |= (w.bits & ~mine->bits) != 0;
    mine->bits |= w.bits;
  }
  if (missing == 0) return changed;
  size_t from = words_.size(), to = from + missing;
  words_.resize(to);
  for (size_t k = other.words_.size(); k-- > 0;) {
    while (from > 0 && words_[from - 1].number > other.words_[k].number) words_[--to] = words_[--from];
    if (from > 0 && words_[from - 1].number == other.words_[k].number) continue;
    words_[--to] = other.words_[k];
  }
  return true;
}

namespace {

void number_rows(const Program& p, const FunctionCode& f, Liveness::FunctionRows& out) {
  out.number_of.assign(f.frame_bytes / 4 + 1, UINT32_MAX);
  const auto add = [&](Place place, unsigned bytes) {
    if (!place.present() || place.constant()) return;
    uint32_t& number = out.number_of[static_cast<uint32_t>(place.at) / 4];
    if (number == UINT32_MAX) {
      number = static_cast<uint32_t>(out.offset.size());
      out.offset.push_back(static_cast<uint32_t>(place.at));
      out.bytes.push_back(static_cast<uint8_t>(bytes));
    }
    if (bytes > out.bytes[number]) out.bytes[number] = static_cast<uint8_t>(bytes);
  };
  for (uint32_t r = p.ref_begin[f.entry]; r < p.ref_begin[f.end]; ++r) add(p.refs[r].place, p.refs[r].bytes);
  for (const SpecialRow& s : f.specials) {
    const Type type = info(s.reg).type;
    add(s.place, type == Type::kPred ? 0 : bytes(type));
  }
  for (const CallValue& v : f.params) add(v.row, v.bytes);
  for (const CallValue& v : f.returns) add(v.row, v.bytes);
}

}  // namespace

void step_back(const Program& p, const Liveness& liveness, uint32_t function, uint32_t i, RowSet& live) {
  const Instr& in = p.code[i];
  const bool whole = !in.guard.present();
  for (uint32_t r = p.ref_begin[i]; r < p.ref_begin[i + 1]; ++r) {
    const OperandRef& ref = p.refs[r];
    if (ref.defines && whole && !ref.place.constant()) live.remove(liveness.number(function, ref.place));
  }
  for (uint32_t r = p.ref_begin[i]; r < p.ref_begin[i + 1]; ++r) {
    const OperandRef& ref = p.refs[r];
    if (!ref.defines && !ref.place.constant()) live.add(liveness.number(function, ref.place));
  }
  if (in.kind == InstrKind::kReturn) {
    for (const CallValue& v : p.functions[function].returns) {
      if (v.row.present() && !v.row.constant()) live.add(liveness.number(function, v.row));
    }
  }
}

Liveness find_liveness(const Program& p, const Flow& flow) {
  Liveness out;
  out.rows.resize(p.functions.size());
  out.function_of.resize(flow.blocks.size());
  out.live_in.resize(flow.blocks.size());
  out.live_out.resize(flow.blocks.size());
  for (uint32_t f = 0; f < p.functions.size(); ++f) {
    number_rows(p, p.functions[f], out.rows[f]);
    const size_t count = out.rows[f].offset.size();
    std::vector<uint32_t> work;
    std::vector<uint8_t> queued(flow.blocks.size(), 1);
    for (uint32_t b = flow.first_block[f]; b < flow.first_block[f + 1]; ++b) {
      out.function_of[b] = f;
      out.live_in[b] = RowSet(count);
      out.live_out[b] = RowSet(count);
      work.push_back(b);
    }
    while (!work.empty()) {  // last block first
      const uint32_t b = work.back();
      work.pop_back();
      queued[b] = 0;
      for (const uint32_t s : flow.successors[b]) out.live_out[b].merge(out.live_in[s]);
      RowSet live = out.live_out[b];
      for (uint32_t i = flow.blocks[b].last + 1; i-- > flow.blocks[b].first;) step_back(p, out, f, i, live);
      if (!out.live_in[b].merge(live)) continue;
      for (const uint32_t before : flow.predecessors[b]) {
        if (queued[before] == 0) work.push_back(before);
        queued[before] = 1;
      }
    }
  }
  return out;
}

}  // namespace gpuloom::ptx
