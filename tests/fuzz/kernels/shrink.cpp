// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/kernels/shrink.h"

#include <algorithm>
#include <optional>

namespace gpuloom::fuzz {
namespace {

using List = std::vector<Statement>;

void texts(const List& list, std::string& out) {
  for (const Statement& s : list) {
    out += s.text + "\n";
    texts(s.parts, out);
  }
}

void rename_all(List& list, const std::string& from, const std::string& to) {
  for (Statement& s : list) {
    if (names(s.text, from)) s.text = renamed(s.text, from, to);
    rename_all(s.parts, from, to);
  }
}

void defined_in(const Statement& s, std::vector<std::string>& out) {
  out.insert(out.end(), s.defines.begin(), s.defines.end());
  for (const Statement& part : s.parts) defined_in(part, out);
}

// A register with a value from the beginning on, of the same type: what takes the place of one that goes.
std::string stand_in(const List& list, const std::string& name) {
  for (const Statement& s : list)
    if (s.role == Role::kInitial)
      for (const std::string& d : s.defines)
        if (d != name && class_of(d) == class_of(name)) return d;
  return "";
}

// Lists of statements, outermost first; the paths into them stay good while nothing changes.
void lists_in(List& list, std::vector<List*>& out) {
  out.push_back(&list);
  for (Statement& s : list)
    if (!s.parts.empty()) lists_in(s.parts, out);
}

std::vector<List*> all_lists(RandomKernel& k) {
  std::vector<List*> out;
  lists_in(k.body, out);
  lists_in(k.module, out);
  lists_in(k.variables, out);
  return out;
}

class Shrinker {
 public:
  Shrinker(RandomKernel kernel, const std::function<bool(const RandomKernel&)>& shows)
      : kernel_(std::move(kernel)), shows_(shows) {}

  RandomKernel run() {
    one_block();
    for (bool smaller = true; smaller && tries_ < kMaxTries;) {
      smaller = remove_runs();
      smaller = open_groups() || smaller;
      smaller = simple_lines() || smaller;
    }
    return kernel_;
  }

 private:
  static constexpr unsigned kMaxTries = 3000;

  bool take(const RandomKernel& candidate) {
    ++tries_;
    if (!shows_(candidate)) return false;
    kernel_ = candidate;
    return true;
  }

  void one_block() {
    RandomKernel k = kernel_;
    k.grid = {1, 1, 1};
    take(k);
    k = kernel_;
    k.directives.clear();
    take(k);
  }

  // Without `count` statements from `first` on, of list number `which`; nothing where that is not PTX.
  std::optional<RandomKernel> without(size_t which, size_t first, size_t count) {
    RandomKernel k = kernel_;
    List& list = *all_lists(k)[which];
    std::vector<std::string> gone;
    for (size_t at = first; at < first + count; ++at) {
      if (list[at].role == Role::kFixed) return {};
      defined_in(list[at], gone);
    }
    list.erase(list.begin() + static_cast<ptrdiff_t>(first),
               list.begin() + static_cast<ptrdiff_t>(first + count));
    // A variable goes when no statement names it; what gives it its first value does not mind the variable.
    std::string rest;
    texts(k.body, rest);
    texts(k.module, rest);
    if (is_variables(which)) texts(k.variables, rest);
    for (const std::string& name : gone) {
      if (!names(rest, name)) continue;
      if (name[0] != '%') return {};
      if (defined_elsewhere(k, name)) continue;
      const std::string other = stand_in(k.body, name);
      if (other.empty()) return {};
      rename_all(k.body, name, other);
    }
    return k;
  }

  bool is_variables(size_t which) {
    RandomKernel k = kernel_;
    return all_lists(k)[which] == &k.variables;
  }

  static bool defines(const List& list, const std::string& name) {
    return std::any_of(list.begin(), list.end(), [&](const Statement& s) {
      return std::find(s.defines.begin(), s.defines.end(), name) != s.defines.end() || defines(s.parts, name);
    });
  }
  static bool defined_elsewhere(const RandomKernel& k, const std::string& name) {
    return defines(k.body, name) || defines(k.module, name);
  }

  bool remove_runs() {
    bool smaller = false;
    for (size_t which = 0;; ++which) {
      RandomKernel k = kernel_;
      if (which >= all_lists(k).size()) break;
      for (size_t run = std::max<size_t>(1, all_lists(k)[which]->size() / 2); run > 0; run /= 2) {
        for (size_t first = 0; tries_ < kMaxTries;) {
          RandomKernel now = kernel_;
          const std::vector<List*> lists = all_lists(now);
          if (which >= lists.size() || first + run > lists[which]->size()) break;
          const auto candidate = without(which, first, run);
          if (candidate && take(*candidate)) {
            smaller = true;
          } else {
            ++first;
          }
        }
      }
    }
    return smaller;
  }

  // Control flow whose parts do as well without it.
  bool open_groups() {
    bool smaller = false;
    for (size_t which = 0; tries_ < kMaxTries; ++which) {
      RandomKernel probe = kernel_;
      if (which >= all_lists(probe).size()) break;
      for (size_t at = 0;; ++at) {
        RandomKernel k = kernel_;
        const std::vector<List*> lists = all_lists(k);
        if (which >= lists.size() || at >= lists[which]->size()) break;
        List& list = *lists[which];
        if (!list[at].loose) continue;
        List inside;
        for (Statement& part : list[at].parts)
          if (part.role != Role::kFixed) inside.push_back(std::move(part));
        list.erase(list.begin() + static_cast<ptrdiff_t>(at));
        list.insert(list.begin() + static_cast<ptrdiff_t>(at), inside.begin(), inside.end());
        smaller = take(k) || smaller;
      }
    }
    return smaller;
  }

  // Without its guard, with small numbers.
  bool simple_lines() {
    bool smaller = false;
    for (size_t which = 0; tries_ < kMaxTries; ++which) {
      RandomKernel probe = kernel_;
      if (which >= all_lists(probe).size()) break;
      for (size_t at = 0;; ++at) {
        RandomKernel k = kernel_;
        const std::vector<List*> lists = all_lists(k);
        if (which >= lists.size() || at >= lists[which]->size()) break;
        Statement& s = (*lists[which])[at];
        if (s.role != Role::kPlain || s.text.empty() || s.text[0] != '@' ||
            s.text.find(" bra") != std::string::npos)
          continue;
        s.text = s.text.substr(s.text.find(' ') + 1);
        smaller = take(k) || smaller;
      }
    }
    return smaller;
  }

  RandomKernel kernel_;
  const std::function<bool(const RandomKernel&)>& shows_;
  unsigned tries_ = 0;
};

}  // namespace

RandomKernel shrink(RandomKernel kernel, const std::function<bool(const RandomKernel&)>& shows) {
  return Shrinker(std::move(kernel), shows).run();
}

}  // namespace gpuloom::fuzz
