// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/atomic_ops.h"

#include <atomic>
#include <cstring>
#include <vector>

#include "ptx/exec/memory_path.h"
#include "ptx/numeric/arith16.h"
#include "ptx/numeric/arith32.h"
#include "ptx/numeric/arith64.h"

namespace gpuloom::ptx {
namespace {

namespace num = numeric;

// Applies F to N values side by side. C is passed as null where an operation has no third operand.
template <class T, class F, unsigned N>
void apply(void* location, const void* b, const void*, void* old) {
  for (unsigned k = 0; k < N; ++k) {
    uint8_t* at = static_cast<uint8_t*>(location) + k * sizeof(T);
    const T before = load_as<T>(at);
    const T operand = load_as<T>(static_cast<const uint8_t*>(b) + k * sizeof(T));
    store_as<T>(at, F{}(before, operand));
    store_as<T>(static_cast<uint8_t*>(old) + k * sizeof(T), before);
  }
}

template <class T>
void compare_and_swap(void* location, const void* b, const void* c, void* old) {
  std::memcpy(old, location, sizeof(T));
  if (std::memcmp(location, b, sizeof(T)) == 0) std::memcpy(location, c, sizeof(T));
}
template <class T>
void exchange(void* location, const void* b, const void*, void* old) {
  std::memcpy(old, location, sizeof(T));
  std::memcpy(location, b, sizeof(T));
}

template <class T, class F>
AtomicFn one(F) {
  return apply<T, F, 1>;
}
template <class T, class F>
AtomicFn several(F, unsigned elements) {
  switch (elements) {
    case 1:
      return apply<T, F, 1>;
    case 2:
      return apply<T, F, 2>;
    case 4:
      return apply<T, F, 4>;
    case 8:
      return apply<T, F, 8>;
    default:
      return nullptr;
  }
}

template <class T>
AtomicFn integer_op(std::string_view op) {
  if (op == "add")
    return one<T>([](T a, T b) {  // wraps
      return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    });
  if (op == "min") return one<T>([](T a, T b) { return b < a ? b : a; });
  if (op == "max") return one<T>([](T a, T b) { return a < b ? b : a; });
  if (op == "and") return one<T>([](T a, T b) { return static_cast<T>(a & b); });
  if (op == "or") return one<T>([](T a, T b) { return static_cast<T>(a | b); });
  if (op == "xor") return one<T>([](T a, T b) { return static_cast<T>(a ^ b); });
  if (op == "inc") return one<T>([](T a, T b) { return static_cast<T>(a >= b ? 0 : a + 1); });
  if (op == "dec") return one<T>([](T a, T b) { return static_cast<T>(a == 0 || a > b ? b : a - 1); });
  if (op == "exch") return exchange<T>;
  if (op == "cas") return compare_and_swap<T>;
  return nullptr;
}

AtomicFn half_op(std::string_view op, unsigned n) {
  using H = uint16_t;
  if (op == "add") return several<H>([](H a, H b) { return num::add_f16(a, b); }, n);
  if (op == "min") return several<H>([](H a, H b) { return num::extreme_f16<num::Extreme::kMin>(a, b); }, n);
  if (op == "max") return several<H>([](H a, H b) { return num::extreme_f16<num::Extreme::kMax>(a, b); }, n);
  return nullptr;
}
AtomicFn bf16_op(std::string_view op, unsigned n) {
  using H = uint16_t;
  if (op == "add") return several<H>([](H a, H b) { return num::add_bf16(a, b); }, n);
  if (op == "min") return several<H>([](H a, H b) { return num::extreme_bf16<num::Extreme::kMin>(a, b); }, n);
  if (op == "max") return several<H>([](H a, H b) { return num::extreme_bf16<num::Extreme::kMax>(a, b); }, n);
  return nullptr;
}
// Adds the lower halves of packed values and leaves the upper ones.
AtomicFn low_half(bool f16) {
  using Pair = uint32_t;
  constexpr Pair kUpper = 0xffff0000;
  if (f16)
    return one<Pair>([](Pair a, Pair b) {
      return (a & kUpper) | num::add_f16(static_cast<uint16_t>(a), static_cast<uint16_t>(b));
    });
  return one<Pair>([](Pair a, Pair b) {
    return (a & kUpper) | num::add_bf16(static_cast<uint16_t>(a), static_cast<uint16_t>(b));
  });
}
AtomicFn float_op(std::string_view op, unsigned n, bool flush) {
  using num::Rounding;
  if (op != "add") return nullptr;
  if (flush)
    return several<float>([](float a, float b) { return num::add<Rounding::kNearestEven, true>(a, b); }, n);
  return several<float>([](float a, float b) { return num::add<Rounding::kNearestEven, false>(a, b); }, n);
}
// In global memory NaNs stay as they are, signalling ones too, the operand's before the one in memory
// (reductions of tensors and of single words on an H200). Elsewhere the SM adds, which makes them quiet.
AtomicFn double_op(std::string_view op, bool in_global) {
  if (op != "add") return nullptr;
  if (!in_global) return one<double>([](double a, double b) { return num::add(a, b); });
  return one<uint64_t>([](uint64_t a, uint64_t b) {
    if (num::is_nan(num::double_of(b))) return b;
    return num::is_nan(num::double_of(a)) ? a : num::bits_of(num::add(num::double_of(a), num::double_of(b)));
  });
}

}  // namespace

AtomicFn atomic_op(std::string_view op, Type type, unsigned elements, bool in_global) {
  if (op == "add_low")  // see the header
    return type == Type::kF16x2 || type == Type::kBf16x2 ? low_half(type == Type::kF16x2) : nullptr;
  // Arithmetic needs numbers, counters are .u32, logic is on bits (9.7.13.5).
  const bool untyped = info(type).kind == TypeKind::kBits;
  if ((op == "add" || op == "min" || op == "max") && (untyped || (op == "add" && type == Type::kS64)))
    return nullptr;
  if ((op == "inc" || op == "dec") && type != Type::kU32) return nullptr;
  if ((op == "and" || op == "or" || op == "xor") && !untyped) return nullptr;
  switch (type) {
    case Type::kF16:
      return half_op(op, elements);
    case Type::kF16x2:
      return elements > 4 ? nullptr : half_op(op, 2 * elements);
    case Type::kBf16:
      return bf16_op(op, elements);
    case Type::kBf16x2:
      return elements > 4 ? nullptr : bf16_op(op, 2 * elements);
    case Type::kF32:
      return float_op(op, elements, in_global);
    case Type::kF64:
      return double_op(op, in_global);
    case Type::kS32:
      return integer_op<int32_t>(op);
    case Type::kS64:
      return integer_op<int64_t>(op);
    case Type::kU32:
    case Type::kB32:
      return integer_op<uint32_t>(op);
    case Type::kU64:
    case Type::kB64:
      return integer_op<uint64_t>(op);
    case Type::kB16:
      return op == "cas" ? compare_and_swap<uint16_t> : nullptr;
    case Type::kB128:
      return op == "cas" ? compare_and_swap<Wide> : op == "exch" ? exchange<Wide> : nullptr;
    default:
      return nullptr;
  }
}

namespace {

std::vector<AtomicEntry> all_entries() {
  constexpr std::string_view kOps[] = {"add", "min", "max",  "and", "or",     "xor",
                                       "inc", "dec", "exch", "cas", "add_low"};
  constexpr Type kTypes[] = {Type::kB16,  Type::kB32,    Type::kU32,  Type::kS32, Type::kB64,
                             Type::kU64,  Type::kS64,    Type::kB128, Type::kF16, Type::kF16x2,
                             Type::kBf16, Type::kBf16x2, Type::kF32,  Type::kF64};
  std::vector<AtomicEntry> out;
  for (std::string_view op : kOps)
    for (Type type : kTypes)
      for (unsigned elements : {1u, 2u, 4u, 8u}) {
        if (elements > 1 && (!is_float(type) || op == "add_low")) continue;
        const AtomicFn fn = atomic_op(op, type, elements, false);
        if (fn == nullptr || elements * bytes(type) > (elements == 1 ? 16u : 32u)) continue;
        out.push_back({op, type, elements, fn, atomic_op(op, type, elements, true), bytes(type),
                       op == "add" && is_float(type)});
      }
  return out;
}

const std::vector<AtomicEntry>& entries() {
  static const std::vector<AtomicEntry> kEntries = all_entries();
  return kEntries;
}

}  // namespace

uint8_t atomic_index(std::string_view op, Type type, unsigned elements) {
  const std::vector<AtomicEntry>& all = entries();
  for (size_t k = 0; k < all.size(); ++k)
    if (all[k].op == op && all[k].type == type && all[k].elements == elements) return static_cast<uint8_t>(k);
  return UINT8_MAX;
}

const AtomicEntry& atomic_entry(uint8_t index) { return entries()[index]; }

namespace {

template <class T>
void exchange_applied(AtomicFn fn, void* location, const void* b, const void* c, void* old) {
  const std::atomic_ref<T> at(*static_cast<T*>(location));
  T before = at.load(std::memory_order_relaxed), after;
  do {
    after = before;
    fn(&after, b, c, old);
  } while (!at.compare_exchange_weak(before, after, std::memory_order_relaxed));
}

}  // namespace

void apply_atomically(AtomicFn fn, void* location, unsigned bytes, const void* b, const void* c, void* old) {
  if (bytes == 4)
    exchange_applied<uint32_t>(fn, location, b, c, old);
  else
    exchange_applied<uint64_t>(fn, location, b, c, old);
}

}  // namespace gpuloom::ptx
