// SPDX-License-Identifier: Apache-2.0
#include "ptx/parse/diagnostic.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace gpuloom::ptx {
namespace {

struct ProblemInfo {
  std::string_view code;
  ProblemKind kind;
  std::string_view what;
};
constexpr ProblemInfo kProblems[] = {
#define X(id, code, kind, what) {code, ProblemKind::kind, what},
    GPULOOM_PTX_PROBLEMS(X)
#undef X
};

constexpr size_t kLongestLine = 100;  // columns of a source line that are shown

// Line `number` (from 1) of the text, without its end.
std::string_view line_of(std::string_view text, uint32_t number) {
  size_t begin = 0;
  for (uint32_t k = 1; k < number; ++k) {
    const size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) return {};
    begin = end + 1;
  }
  std::string_view line = text.substr(begin, text.find('\n', begin) - begin);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// Printable, one column a byte: tabs become blanks, other control characters and bytes that are not ASCII
// `?`.
std::string printable(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c == '\t')
      c = ' ';
    else if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f)
      c = '?';
  }
  return out;
}

struct Clip {
  std::string line;
  size_t caret = 0;  // column from 0
};

// The part of a long line around the caret.
Clip clip(std::string_view line, size_t column) {
  if (line.size() <= kLongestLine || column < kLongestLine - 20) {
    Clip whole{printable(line.substr(0, kLongestLine)), column};
    if (line.size() > kLongestLine) whole.line += "...";
    return whole;
  }
  const size_t begin = column - kLongestLine / 2;
  Clip part{"..." + printable(line.substr(begin, kLongestLine)), column - begin + 3};
  if (begin + kLongestLine < line.size()) part.line += "...";
  return part;
}

std::string at(std::string_view file, Position position) {
  return std::string(file) + ":" + std::to_string(position.line) + ":" + std::to_string(position.column);
}

std::string counted(size_t count, std::string_view noun) {
  return with_thousands(static_cast<uint64_t>(count)) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace

std::string_view code(Problem problem) { return kProblems[static_cast<size_t>(problem)].code; }
ProblemKind kind(Problem problem) { return kProblems[static_cast<size_t>(problem)].kind; }
std::string_view what(Problem problem) { return kProblems[static_cast<size_t>(problem)].what; }

std::string render(const Diagnostic& d, std::string_view file_name, std::string_view text) {
  std::string out = d.severity == Severity::kError ? "error[" : "warning[";
  out += std::string(code(d.problem)) + "]: " + d.message + "\n";
  const std::string number = std::to_string(d.position.line);
  const std::string margin(number.size(), ' ');
  out += margin + "--> " + at(file_name, d.position) + (d.where.empty() ? "" : "   " + d.where) + "\n";
  if (d.position.line > 0) {
    const std::string_view line = line_of(text, d.position.line);
    const Clip part = clip(line, std::min<size_t>(d.position.column - 1, line.size()));
    const size_t room = std::max<size_t>(part.line.size(), part.caret + 1) - part.caret;
    out += margin + " |\n" + number + " | " + part.line + "\n";
    out += margin + " | " + std::string(part.caret, ' ') +
           std::string(std::clamp<size_t>(d.length, 1, room), '^');
    if (!d.label.empty()) out += " " + d.label;
    out += "\n";
  }
  for (const DiagnosticNote& note : d.notes) {
    out += margin + " = note: " + note.text;
    if (note.position.line > 0) out += " (" + at(file_name, note.position) + ")";
    out += "\n";
  }
  if (!d.hint.empty()) out += margin + " = help: " + d.hint + "\n";
  out.pop_back();
  return out;
}

std::string render_all(const std::vector<Diagnostic>& diagnostics, size_t errors, size_t warnings,
                       std::string_view file_name, std::string_view text, size_t limit) {
  if (errors + warnings == 0) return "";
  std::string out;
  const size_t shown = std::min(limit, diagnostics.size());
  for (size_t k = 0; k < shown; ++k) out += render(diagnostics[k], file_name, text) + "\n\n";
  out += std::string(file_name) + ": ";
  if (errors > 0) out += counted(errors, "error");
  if (warnings > 0) out += (errors > 0 ? ", " : "") + counted(warnings, "warning");
  if (shown < errors + warnings) out += " (the first " + std::to_string(shown) + " are shown)";
  return out;
}

std::string render_json(const std::vector<Diagnostic>& diagnostics, std::string_view file_name) {
  static constexpr std::string_view kKinds[] = {"not PTX", "wrong", "needs another target or version",
                                                "not modelled"};
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const Diagnostic& d : diagnostics) {
    nlohmann::ordered_json entry;
    entry["file"] = file_name;
    entry["line"] = d.position.line;
    entry["column"] = d.position.column;
    entry["length"] = d.length;
    entry["severity"] = d.severity == Severity::kError ? "error" : "warning";
    entry["code"] = code(d.problem);
    entry["kind"] = kKinds[static_cast<size_t>(kind(d.problem))];
    entry["message"] = printable(d.message);
    if (!d.where.empty()) entry["where"] = printable(d.where);
    for (const DiagnosticNote& note : d.notes)
      entry["notes"].push_back(
          {{"text", printable(note.text)}, {"line", note.position.line}, {"column", note.position.column}});
    if (!d.hint.empty()) entry["hint"] = printable(d.hint);
    out.push_back(std::move(entry));
  }
  return out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace gpuloom::ptx
