// SPDX-License-Identifier: Apache-2.0
// Copies, fills and graphs in timed runs: as work of the machine.
#include <algorithm>
#include <unordered_map>

#include "sim/host/context.h"

namespace gpuloom::host {
namespace {

uint64_t place_of(const CopySide& side) {
  return (side.array != nullptr ? side.array->state.address : side.address) + side.x;
}

arch::CopyWay way_of(Route route) {
  switch (route) {
    case Route::kToDevice:
    case Route::kPageableToDevice:
      return arch::CopyWay::kToDevice;
    case Route::kFromDevice:
    case Route::kPageableFromDevice:
      return arch::CopyWay::kFromDevice;
    default:
      return arch::CopyWay::kWithin;
  }
}

Moved moved_by(arch::CopyWay way) {
  switch (way) {
    case arch::CopyWay::kToDevice:
      return Moved::kToDevice;
    case arch::CopyWay::kFromDevice:
      return Moved::kFromDevice;
    case arch::CopyWay::kWithin:
      return Moved::kDevice;
    default:
      return Moved::kFilled;
  }
}

}  // namespace

// The machine moves its bytes as one row from where it begins. A copy of pageable memory is staged: the call
// returns when that is done, which is taken to be at its end (CUDA runtime API, API synchronization
// behaviour).
void Context::queue_copy(const Copy& copy, Route route, Stream& stream) {
  const uint64_t bytes = copy.width * copy.height * copy.depth;
  if (route == Route::kHost || bytes == 0) {
    queue_->call(stream, [this, copy](Time) { copier_.run(copy); });
    return;
  }
  arch::CopyWork work;
  work.way = way_of(route);
  work.pageable = route == Route::kPageableToDevice || route == Route::kPageableFromDevice;
  work.bytes = bytes;
  work.to = place_of(copy.to);
  work.from = place_of(copy.from);
  work.carry_out = [this, copy] { copier_.run(copy); };
  const bool waits = work.pageable;
  const Moved what = moved_by(work.way);
  TransferRecord record{what, bytes, stream.id, work.pageable};
  work.ended = [this, record](uint64_t begin, uint64_t end) mutable {
    record.start = queue_->time_of(begin);
    record.end = queue_->time_of(end);
    records_.add(record);
  };
  queue_->copy(stream, std::move(work));
  if (waits) queue_->synchronise(stream);
}

void Context::queue_fill(const Fill& fill, Stream& stream) {
  arch::CopyWork work;
  work.way = arch::CopyWay::kFill;
  work.bytes = fill.width * fill.element * fill.height * fill.depth;
  work.to = fill.address;
  work.carry_out = [this, fill] { copier_.run(fill); };
  TransferRecord record{Moved::kFilled, work.bytes, stream.id, false};
  work.ended = [this, record](uint64_t begin, uint64_t end) mutable {
    record.start = queue_->time_of(begin);
    record.end = queue_->time_of(end);
    records_.add(record);
  };
  queue_->copy(stream, std::move(work));
}

// Each node is work of a stream of its own that comes after the nodes before it; the stream goes on after
// all.
void Context::queue_nodes(const std::vector<GraphNode*>& order, Stream& stream) {
  const uint64_t begin = queue_->call(stream, {});
  std::unordered_map<const GraphNode*, uint64_t> ends;
  std::vector<uint64_t> all;
  for (const GraphNode* node : order) {
    Stream branch;  // of this node alone
    branch.id = stream.id;
    branch.non_blocking = true;
    branch.priority = stream.priority;
    branch.after = {begin};
    for (const GraphNode* before : node->from) branch.after.push_back(ends[before]);
    if (node->enabled) carry_out(node->operation, branch);
    if (branch.last == 0 || !branch.after.empty()) queue_->call(branch, {});
    ends[node] = branch.last;
    all.push_back(branch.last);
  }
  stream.after.insert(stream.after.end(), all.begin(), all.end());
  queue_->call(stream, {});
}

}  // namespace gpuloom::host
