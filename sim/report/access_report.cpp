// SPDX-License-Identifier: Apache-2.0
#include "sim/report/access_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/demangle.h"
#include "base/text.h"
#include "sim/report/csv.h"
#include "sim/report/table.h"

namespace gpuloom {
namespace {

using Json = nlohmann::ordered_json;

double ratio(uint64_t a, uint64_t b) { return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b); }

std::string place(const AccessSite& s) {
  const size_t slash = s.file.rfind('/');
  return fmt::format("{}:{}", slash == std::string::npos ? s.file : s.file.substr(slash + 1), s.line);
}

// Height of a bank in the histogram, 0 to 8 eighths.
std::string bank_bars(const std::vector<uint32_t>& banks) {
  static constexpr const char* kBars[] = {".", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const uint32_t most = *std::max_element(banks.begin(), banks.end());
  std::string bars;
  for (const uint32_t n : banks) bars += kBars[n == 0 ? 0 : std::max(1u, n * 8 / most)];
  return bars;
}

// Sites whose hints are the same share one entry.
struct Advice {
  const AccessSite *first = nullptr, *last = nullptr;
  std::string places;
  uint64_t cost = 0;  // conflicts, or sectors too many
};

std::string advice_text(const std::vector<const AccessSite*>& sites, bool shared) {
  std::vector<Advice> all;
  for (const AccessSite* s : sites) {
    if (shared != (s->space == "shared") || s->hints.empty()) continue;
    const AccessCounts& c = s->counts;
    const uint64_t cost = shared ? c.conflicts : c.sectors - std::min(c.sectors, c.ideal_sectors);
    const auto same = std::find_if(all.begin(), all.end(), [&](const Advice& a) {
      return a.first->hints == s->hints && a.first->operation == s->operation && a.first->file == s->file;
    });
    if (same == all.end()) {
      all.push_back({s, s, place(*s), cost});
    } else {
      if (s->line != same->last->line) same->places += ", " + std::to_string(s->line);
      same->last = s;
      same->cost += cost;
    }
  }
  std::string out;
  for (const Advice& a : all) {
    out += fmt::format("    {} {} ({} {})\n", a.places, a.first->operation, with_thousands(a.cost),
                       shared ? "conflicts" : "sectors too many");
    if (!a.first->banks.empty())
      out += fmt::format("      words by bank, worst request: {} (most {})\n", bank_bars(a.first->banks),
                         *std::max_element(a.first->banks.begin(), a.first->banks.end()));
    for (const std::string& hint : a.first->hints) out += "      - " + hint + "\n";
  }
  return out;
}

bool in_shared(const AccessSite& s) { return s.space == "shared" || s.counts.wavefronts != 0; }

std::vector<const AccessSite*> chosen(const AccessReport& report, bool shared, size_t most, size_t& left) {
  std::vector<const AccessSite*> sites;
  for (const AccessSite& s : report.sites)
    if (shared ? in_shared(s) : s.space != "shared") sites.push_back(&s);
  const auto waste = [&](const AccessSite* s) {
    const AccessCounts& c = s->counts;
    return shared ? c.conflicts : c.sectors - std::min(c.sectors, c.ideal_sectors);
  };
  std::stable_sort(sites.begin(), sites.end(),
                   [&](const AccessSite* a, const AccessSite* b) { return waste(a) > waste(b); });
  left = most != 0 && sites.size() > most ? sites.size() - most : 0;
  if (left != 0) sites.resize(most);
  return sites;
}

std::string section(const AccessReport& report, bool shared, size_t most, size_t width) {
  size_t left = 0;
  const std::vector<const AccessSite*> sites = chosen(report, shared, most, left);
  if (sites.empty()) return {};
  TextTable table(
      shared
          ? std::vector<std::string>{"Line", ">PTX", "Operation", ">Bytes/lane", ">Requests", ">Wavefronts",
                                     ">Ideal", ">Conflicts", ">Wavefronts/req", ">Worst degree"}
          : std::vector<std::string>{"Line", ">PTX", "Operation", ">Bytes/lane", ">Requests", ">Sectors",
                                     ">Ideal", ">Sectors/req", ">Ideal/req", ">Efficiency"});
  AccessCounts sum;
  for (const AccessSite* s : sites) {
    const AccessCounts& c = s->counts;
    sum.add(c);
    std::vector<std::string> row = {place(*s), std::to_string(s->ptx_line), s->operation,
                                    std::to_string(s->lane_bytes), with_thousands(c.requests)};
    if (shared) {
      for (const uint64_t n : {c.wavefronts, c.ideal_wavefronts, c.conflicts})
        row.push_back(with_thousands(n));
      row.push_back(fmt::format("{:.2f}", ratio(c.wavefronts, c.requests)));
      row.push_back(std::to_string(s->worst_degree));
    } else {
      for (const uint64_t n : {c.sectors, c.ideal_sectors}) row.push_back(with_thousands(n));
      row.push_back(fmt::format("{:.2f}", ratio(c.sectors, c.requests)));
      row.push_back(fmt::format("{:.2f}", ratio(c.ideal_sectors, c.requests)));
      row.push_back(c.sectors == 0 ? "" : fmt::format("{:.0f} %", 100 * ratio(c.ideal_sectors, c.sectors)));
    }
    table.row(std::move(row));
  }
  const std::string hints = advice_text(sites, shared);
  std::string out =
      shared ? fmt::format("\n  Shared memory, {} banks of {} bytes\n", report.banks, report.bank_bytes)
             : "\n  Global and local memory, sectors of 32 bytes\n";
  out += table.str("    ", width);
  if (left != 0) out += fmt::format("    ... and {} more (--all)\n", left);
  return out + (hints.empty() ? "" : "\n" + hints);
}

Json counts_json(const AccessCounts& c) {
  return {{"requests", c.requests},
          {"lanes", c.lanes},
          {"bytes", c.bytes},
          {"sectors", c.sectors},
          {"ideal_sectors", c.ideal_sectors},
          {"wavefronts", c.wavefronts},
          {"ideal_wavefronts", c.ideal_wavefronts},
          {"bank_conflicts", c.conflicts}};
}

}  // namespace

void AccessCounts::add(const AccessCounts& more) {
  requests += more.requests;
  lanes += more.lanes;
  bytes += more.bytes;
  sectors += more.sectors;
  ideal_sectors += more.ideal_sectors;
  wavefronts += more.wavefronts;
  ideal_wavefronts += more.ideal_wavefronts;
  conflicts += more.conflicts;
}

AccessCounts AccessReport::total(std::string_view operation, std::string_view space) const {
  AccessCounts sum;
  for (const AccessSite& s : sites)
    if (s.operation.starts_with(operation) && s.space == space) sum.add(s.counts);
  return sum;
}

std::string access_text(const AccessReport& report, size_t most, size_t width) {
  const auto extent = [](const std::array<uint32_t, 3>& v) {
    return fmt::format("{}x{}x{}", v[0], v[1], v[2]);
  };
  std::string out = fmt::format("{} (grid {}, block {}) on {}\n", demangled(report.kernel),
                                extent(report.grid), extent(report.block), report.config);
  out += section(report, false, most, width);
  out += section(report, true, most, width);
  if (report.sites.empty()) out += "  no accesses to global, local or shared memory\n";
  return out;
}

std::string access_json(const std::vector<AccessReport>& reports) {
  Json all = Json::array();
  for (const AccessReport& r : reports) {
    Json sites = Json::array();
    for (const AccessSite& s : r.sites) {
      Json j = {{"file", s.file},         {"line", s.line},
                {"ptx_line", s.ptx_line}, {"operation", s.operation},
                {"space", s.space},       {"lane_bytes", s.lane_bytes},
                {"joined", s.joined},     {"counts", counts_json(s.counts)}};
      if (s.worst_sectors != 0) j["worst_sectors"] = s.worst_sectors;
      if (s.worst_degree != 0) j["worst_degree"] = s.worst_degree;
      if (!s.banks.empty()) j["worst_banks"] = s.banks;
      if (!s.worst_addresses.empty()) j["worst_addresses"] = s.worst_addresses;
      if (!s.hints.empty()) j["hints"] = s.hints;
      sites.push_back(std::move(j));
    }
    all.push_back({{"kernel", r.kernel},
                   {"config", r.config},
                   {"grid", r.grid},
                   {"block", r.block},
                   {"banks", r.banks},
                   {"bank_bytes", r.bank_bytes},
                   {"sites", std::move(sites)}});
  }
  return Json{{"schema", 1}, {"kernels", std::move(all)}}.dump(2) + "\n";
}

std::string access_csv(const std::vector<AccessReport>& reports) {
  std::string out = csv_line({"kernel", "file", "line", "ptx_line", "operation", "space", "lane_bytes",
                              "requests", "lanes", "bytes", "sectors", "ideal_sectors", "wavefronts",
                              "ideal_wavefronts", "bank_conflicts", "worst_sectors", "worst_degree"});
  for (const AccessReport& r : reports)
    for (const AccessSite& s : r.sites) {
      std::vector<std::string> row = {r.kernel,    s.file, std::to_string(s.line), std::to_string(s.ptx_line),
                                      s.operation, s.space};
      const AccessCounts& c = s.counts;
      for (const uint64_t n :
           {uint64_t{s.lane_bytes}, c.requests, c.lanes, c.bytes, c.sectors, c.ideal_sectors, c.wavefronts,
            c.ideal_wavefronts, c.conflicts, uint64_t{s.worst_sectors}, uint64_t{s.worst_degree}})
        row.push_back(std::to_string(n));
      out += csv_line(row);
    }
  return out;
}

}  // namespace gpuloom
