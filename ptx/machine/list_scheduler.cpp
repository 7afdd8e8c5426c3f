// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/list_scheduler.h"

#include <algorithm>
#include <climits>
#include <numeric>

#include "ptx/machine/early_work.h"
#include "ptx/machine/latency.h"
#include "ptx/machine/node_questions.h"

namespace gpuloom::ptx {

namespace {

// Times the least latency that loads of global memory are taken to have upwards. Estimated: 4 to 20 give the
// same registers on 305 kernels; with 1 loads fall between the sums that wait for them (one_warp_sum +50 %).
constexpr uint32_t kFarLoad = 10;

// Cycles from a shuffle to what comes behind it, upwards. Estimated: with 2 the end of a loop is computed
// behind the first of eight shuffles, as ptxas has it (SASS of rate_shfl), with 1 in front of them all.
constexpr uint32_t kShuffleInterval = 2;

// A move of a register, as those of a loop's variables are: the variable of one turn is another's of the
// next.
bool moves_register(const Node& n) {
  return n.op == OpClass::mov && !n.uniform && !n.memory && !n.loads && !n.ordered && !n.volatile_order &&
         !n.guarded && n.uses.size() == 1 && n.defs.size() == 1;
}

// What fits beside `now` registers: what adds nothing always does.
int room_for(uint32_t limit, uint32_t now) { return limit > now ? static_cast<int>(limit - now) : 0; }

// The limits at which a decision comes out the same: it stands with what it was taken for, of `change` more
// registers, and with what was held back for want of `held` more.
void stands(SameFor& limits, uint32_t now, int change) {
  if (change > 0) limits.at_least(now + static_cast<uint32_t>(change));
}
void held_back(SameFor& limits, uint32_t now, int change) {
  limits.at_most(now + static_cast<uint32_t>(change) - 1);
}

}  // namespace

ListScheduler::ListScheduler(const Graph& g, uint32_t block, const std::vector<Node>& nodes,
                             const VirtualLiveness& live, ReadyQueue& queue)
    : nodes_(nodes),
      edges_(block_edges(g, block)),
      pressure_(g, nodes_, live.in[block], live.out[block]),
      queue_(queue),
      units_(g, nodes_) {
  height_.assign(nodes_.size(), 0);
  for (const Node& n : nodes_) {
    size_.push_back(0);
    for (const uint32_t v : n.defs) size_.back() += g.registers[v].uniform ? 0 : g.registers[v].words;
  }
  for (uint32_t k = static_cast<uint32_t>(nodes_.size()); k-- > 0;) {
    for (const auto& [to, lat] : edges_.after[k]) height_[k] = std::max(height_[k], height_[to] + lat);
  }
  find_depths();
  rank();
}

// Upwards from the end a barrier has everything in front of it that is written so, and the result of a far
// load is asked for early. Moves of registers are not work of their own: each stands right in front of what
// reads it, behind a barrier too (SASS of wave_order8: planes that wander through registers, of which the
// last is still being loaded at the barrier).
void ListScheduler::find_depths() {
  const auto count = static_cast<uint32_t>(nodes_.size());
  before_.resize(count);
  below_.resize(count);
  for (uint32_t k = 0; k < count; ++k) {
    const bool far = nodes_[k].loads && reads_global(nodes_[k].op);
    for (const auto& [to, lat] : edges_.after[k])
      before_[to].push_back({k, lat > 1 && far ? lat * kFarLoad : lat});
    below_[k] = static_cast<uint32_t>(edges_.after[k].size());
  }
  uint32_t from = 0;
  for (uint32_t barrier = 0; barrier < count; ++barrier) {
    if (!is_block_barrier(nodes_[barrier].op)) continue;
    for (; from < barrier; ++from) {
      if (moves_register(nodes_[from])) continue;
      before_[barrier].push_back({from, 1});
      ++below_[from];
    }
  }
  depth_.assign(count, 0);
  for (uint32_t k = 0; k < count; ++k) {
    for (const auto& [above, lat] : before_[k]) depth_[k] = std::max(depth_[k], depth_[above] + lat);
  }
  for (uint32_t k = count; k-- > 0;) {
    if (!moves_register(nodes_[k]) || edges_.after[k].empty()) continue;
    uint32_t first = UINT32_MAX;
    for (const auto& [to, lat] : edges_.after[k])
      if (!nodes_[to].ends) first = std::min(first, depth_[to]);
    if (first != UINT32_MAX) depth_[k] = std::max(depth_[k], first);
  }
}

// Most urgent is the longest way, then the last upwards and the first downwards.
void ListScheduler::rank() {
  const auto ranks = [&](auto more_urgent) {
    std::vector<uint32_t> order(nodes_.size()), rank(nodes_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), more_urgent);
    for (uint32_t k = 0; k < order.size(); ++k) rank[order[k]] = k;
    return rank;
  };
  rank_above_ =
      ranks([&](uint32_t a, uint32_t b) { return depth_[a] != depth_[b] ? depth_[a] > depth_[b] : a > b; });
  rank_below_ = ranks(
      [&](uint32_t a, uint32_t b) { return height_[a] != height_[b] ? height_[a] > height_[b] : a < b; });
}

const std::vector<uint32_t>& ListScheduler::line_of(Stuck stuck) {
  std::vector<uint32_t>& line = stuck == Stuck::kDeep ? deep_line_ : thrifty_line_;
  if (!line.empty()) return line;
  line = stuck == Stuck::kDeep ? deep_line(before_, nullptr, results_of(nodes_, edges_)) : thriftiest_line();
  return line;
}

// Where results share values, it matters which of them is begun first: sums of rows take one row of values if
// the highest one is, and all rows otherwise.
std::vector<uint32_t> ListScheduler::thriftiest_line() {
  const auto line_by = [&](const std::vector<uint32_t>& results) {
    return thrifty_line(deep_line(before_, &size_, results), edges_, pressure_, queue_, units_.kinds());
  };
  const std::vector<uint32_t> results = results_of(nodes_, edges_);
  const std::vector<uint32_t> latest_first = latest_users_first(results, edges_, before_);
  std::vector<uint32_t> line = line_by(results);
  if (latest_first == results) return line;
  std::vector<uint32_t> other = line_by(latest_first);
  return in_order(other).peak < in_order(line).peak ? other : line;
}

// The thrifty line, but for what may come earlier.
Order ListScheduler::thrifty(uint32_t limit) {
  const std::vector<uint32_t> nodes =
      EarlyWork(line_of(Stuck::kThrifty), edges_, rank_below_, units_, pressure_).run(limit);
  return in_order(nodes);
}

uint32_t ListScheduler::length(const std::vector<uint32_t>& nodes) const {
  std::vector<uint32_t> at(nodes_.size(), 0);
  uint32_t now = 0;
  for (const uint32_t k : nodes) {
    for (const auto& [above, lat] : before_[k]) now = std::max(now, at[above] + lat);
    at[k] = now++;
  }
  return now;
}

Order ListScheduler::given_up(Order& order) const {
  order.complete = false;
  order.nodes = {};
  return std::move(order);
}

Order ListScheduler::as_written() {
  std::vector<uint32_t> nodes(nodes_.size());
  std::iota(nodes.begin(), nodes.end(), 0u);
  return in_order(nodes);
}

Order ListScheduler::in_order(const std::vector<uint32_t>& nodes) {
  pressure_.restart();
  Order order;
  order.peak = pressure_.now();
  for (const uint32_t k : nodes) issue(k, order);
  return order;
}

void ListScheduler::issue(uint32_t k, Order& order) {
  pressure_.issue(k);
  order.peak = std::max(order.peak, pressure_.now() + static_cast<uint32_t>(nodes_[k].scratch.size()));
  order.nodes.push_back(k);
  order.predicates = std::max(order.predicates, pressure_.predicates());
}

void ListScheduler::restart_queue(const std::vector<uint32_t>& rank, Change change,
                                  const std::vector<uint32_t>* line) {
  queue_.restart(rank, units_.kinds(), pressure_.most_change() + slack(), line);
  asking_.clear();
  waits_for_predicate_ = kNoNode;
  change_ = change;
  rank_ = &rank;
}

bool ListScheduler::finds_predicates(const Need& change) const {
  return change.predicates <= 0 ||
         pressure_.predicates() + static_cast<uint32_t>(change.predicates) <= kPredicateRegisters;
}

// `node` is ready: it comes to the queue, or waits beside it for a predicate (SASS of swiglu_bwd: eight
// divisions one behind the other, each with a comparison to P6, where masks hold the other six).
void ListScheduler::offer(uint32_t node, uint32_t ready_at) {
  const Need change = (pressure_.*change_)(node);
  if (predicates_ != Predicates::kMany && pressure_.touches_predicates(node)) {
    asking_.push_back({node, ready_at});
    if (!finds_predicates(change)) return;
  }
  queue_.add(node, ready_at, held(change));
}

void ListScheduler::take_from_queue(uint32_t node) {
  queue_.remove(node);
  std::erase_if(asking_, [&](const Asking& a) { return a.node == node; });
}

// After an operation: others may have more room for their predicates, or less. Where none has room, the one
// that takes the fewest goes on all the same.
void ListScheduler::look_again() {
  pressure_.for_altered([&](uint32_t other) {
    if (queue_.has(other)) queue_.set_change(other, adds(other));
  });
  const Asking* best = nullptr;
  Need least;
  waits_for_predicate_ = kNoNode;
  const auto rank = [&](uint32_t node) { return (*rank_)[node]; };
  for (const Asking& a : asking_) {
    const Need change = (pressure_.*change_)(a.node);
    const bool fits = finds_predicates(change), has = queue_.has(a.node);
    if (fits && !has) queue_.add(a.node, a.ready_at, held(change));
    if (!fits && has) queue_.remove(a.node);
    if (!fits && (waits_for_predicate_ == kNoNode || rank(a.node) < rank(waits_for_predicate_)))
      waits_for_predicate_ = a.node;
    const bool better = best == nullptr || change.predicates < least.predicates ||
                        (change.predicates == least.predicates && rank(a.node) < rank(best->node));
    if (!better) continue;
    best = &a;
    least = change;
  }
  if (queue_.empty() && best != nullptr) queue_.add(best->node, best->ready_at, held(least));
}

Order ListScheduler::downwards(uint32_t limit, uint32_t load_limit, Useless useless) {
  pressure_.restart();
  restart_queue(rank_below_, &Pressure::change, nullptr);
  Order order;
  order.peak = pressure_.now();
  order.nodes.reserve(nodes_.size());
  std::vector<uint32_t> ready_at(nodes_.size(), 0), waiting = edges_.waiting;
  for (uint32_t k = 0; k < nodes_.size(); ++k) {
    if (waiting[k] == 0) offer(k, 0);
  }
  look_again();
  uint32_t now = 0;
  Busy busy;
  while (!queue_.empty()) {
    queue_.advance(now);
    const uint32_t k = pick(busy, now, limit, load_limit, order);
    take_from_queue(k);
    now = std::max({now, ready_at[k], units_.when_free(k, busy)});
    issue(k, order);
    order.cycles = now + 1;
    if (useless.is(order)) return given_up(order);
    units_.take(k, now, busy);
    for (const auto& [to, lat] : edges_.after[k]) {
      ready_at[to] = std::max(ready_at[to], now + lat);
      if (--waiting[to] == 0) offer(to, ready_at[to]);
    }
    look_again();
    ++now;
  }
  return order;
}

// From the block's end upwards: what has the longest way from the block's begin comes last, as late as its
// result allows; where the limit is reached, what ends more lives than it begins goes in front.
Order ListScheduler::upwards(uint32_t limit, Stuck stuck, Useless useless) {
  const bool has_line = stuck == Stuck::kDeep || stuck == Stuck::kThrifty;
  const std::vector<uint32_t>* line = has_line ? &line_of(stuck) : nullptr;
  pressure_.restart_at_end();
  restart_queue(rank_above_, &Pressure::change_above, line);
  Order order;
  order.peak = pressure_.now();
  order.nodes.reserve(nodes_.size());
  std::vector<uint32_t> ready_at(nodes_.size(), 0), waiting = below_;
  for (uint32_t k = 0; k < nodes_.size(); ++k) {
    if (waiting[k] == 0) offer(k, 0);
  }
  look_again();
  uint32_t now = 0;
  Busy busy;
  while (!queue_.empty()) {
    queue_.advance(now);
    const uint32_t k = pick_above(busy, now, limit, stuck, order);
    take_from_queue(k);
    now = std::max({now, ready_at[k], units_.when_free(k, busy)});
    units_.take(k, now, busy);
    order.peak = std::max(order.peak, pressure_.now() + static_cast<uint32_t>(nodes_[k].scratch.size()));
    pressure_.place_above(k);
    order.peak = std::max(order.peak, pressure_.now());
    order.nodes.push_back(k);
    order.predicates = std::max(order.predicates, pressure_.predicates());
    if (useless.is(order)) return given_up(order);
    if (is_shuffle(nodes_[k].op)) now += kShuffleInterval - 1;
    for (const auto& [from, lat] : before_[k]) {
      ready_at[from] = std::max(ready_at[from], now + lat);
      if (--waiting[from] == 0) offer(from, ready_at[from]);
    }
    look_again();
    ++now;
  }
  order.cycles = now;
  std::reverse(order.nodes.begin(), order.nodes.end());
  return order;
}

// While a more urgent operation waits for a predicate, others come that add no registers, comparisons among
// them: what adds some would hold them until its turn comes.
uint32_t ListScheduler::instead_of(uint32_t best) const {
  if (waits_for_predicate_ == kNoNode || (*rank_)[best] < (*rank_)[waits_for_predicate_]) return best;
  const uint32_t other = queue_.ready_now((1u << ReadyQueue::kKinds) - 1, 0);
  return other == kNoNode ? best : other;
}

uint32_t ListScheduler::pick_above(const Busy& busy, uint32_t time, uint32_t limit, Stuck stuck,
                                   Order& order) const {
  const uint32_t now = held_now();
  const int room = room_for(limit, now), more = queue_.adds_next(room);
  uint32_t best = queue_.most_urgent({room, room, room, room});
  if (best == kNoNode) {
    held_back(order.limits, now, more);
    return stuck == Stuck::kLeast ? queue_.adds_least() : queue_.last();
  }
  bool same = more == INT_MAX || queue_.most_urgent({INT_MAX, INT_MAX, INT_MAX, INT_MAX}) == best;
  stands(order.limits, now, queue_.change(best));
  if (const unsigned kinds = units_.fillers(best, busy, time); kinds != 0) {
    const uint32_t other = queue_.ready_now(kinds, room);
    same = same && (more == INT_MAX || queue_.ready_now(kinds, INT_MAX) == other);
    if (other != kNoNode) {
      best = other;
      stands(order.limits, now, queue_.change(other));
    }
  }
  if (!same) held_back(order.limits, now, more);
  return instead_of(best);
}

// The most urgent operation where it keeps to the limit. Otherwise the most urgent one that does and does
// not load: a less urgent load must not take the room that the urgent one waits for. Otherwise what comes
// first in source order, of those that keep to the limit where there are any.
uint32_t ListScheduler::pick(const Busy& busy, uint32_t time, uint32_t limit, uint32_t load_limit,
                             Order& order) const {
  uint32_t best = queue_.most_urgent({INT_MAX, INT_MAX, INT_MAX, INT_MAX});
  if (const unsigned kinds = units_.fillers(best, busy, time); kinds != 0) {
    const uint32_t other = queue_.ready_now(kinds, INT_MAX);
    if (other != kNoNode) best = other;
  }
  if (is_block_barrier(nodes_[best].op)) best = not_a_filler(best);
  const uint32_t now = held_now();
  const int room = room_for(limit, now), load_room = room_for(load_limit, now);
  const bool loads = nodes_[best].loads;
  SameFor& own = loads ? order.load_limits : order.limits;
  if (queue_.change(best) <= (loads ? load_room : room)) {
    stands(own, now, queue_.change(best));
    return best;
  }
  held_back(own, now, queue_.change(best));
  return pick_fitting(room, load_room, order);
}

uint32_t ListScheduler::pick_fitting(int room, int load_room, Order& order) const {
  const uint32_t now = held_now();
  const int more = queue_.adds_next(room);
  const uint32_t next = queue_.most_urgent({room, room, 0, room});
  if (next != kNoNode) {
    if (queue_.most_urgent({INT_MAX, INT_MAX, 0, INT_MAX}) != next) held_back(order.limits, now, more);
    stands(order.limits, now, queue_.change(next));
    return next;
  }
  held_back(order.limits, now, std::min(more, INT_MAX / 2));
  uint32_t fitting = kNoNode;
  int least = INT_MAX / 2;
  for (const uint32_t k : queue_.members()) {
    if (!nodes_[k].loads) continue;
    least = std::min(least, queue_.change(k));
    if (queue_.change(k) <= load_room) fitting = std::min(fitting, k);
  }
  if (fitting == kNoNode) {
    held_back(order.load_limits, now, least);
    return queue_.first();
  }
  order.load_limits.at_least(now + static_cast<uint32_t>(load_room));  // not looked into: these alone
  order.load_limits.at_most(now + static_cast<uint32_t>(load_room));
  return fitting;
}

// A barrier does not fill the time in which work that is as urgent waits for its operands (SASS of rate_*):
// then the one that is ready first is next.
uint32_t ListScheduler::not_a_filler(uint32_t barrier) const {
  uint32_t best = barrier;
  for (const uint32_t k : queue_.members()) {
    if (height_[k] < height_[barrier] || k == barrier) continue;
    const auto when = [&](uint32_t n) { return std::pair(queue_.ready_at(n), queue_.age(n)); };
    if (best == barrier || when(k) < when(best)) best = k;
  }
  return best;
}

}  // namespace gpuloom::ptx
