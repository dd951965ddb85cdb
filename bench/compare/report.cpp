#include "bench/compare/report.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

namespace hindsight::bench {
namespace {

/// Milliseconds, with four digits from 1 on.
std::string milliseconds(double seconds) {
  const double ms = 1e3 * seconds;
  char out[32];
  std::snprintf(out, sizeof out, "%.*f", ms < 1 ? 4 : ms < 10 ? 3 : ms < 100 ? 2 : ms < 1000 ? 1 : 0, ms);
  return out;
}

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "";
}

}  // namespace

Table::Table(const Workloads& workloads) {
  for (const Workload& workload : workloads)
    for (const Peer& peer : workload.peers)
      if (std::find(peers_.begin(), peers_.end(), peer.name) == peers_.end()) peers_.push_back(peer.name);
}

void Table::head() const {
  std::printf("%-22s%8s%12s", "", "ours", "");
  for (const std::string& peer : peers_) std::printf("%8s%7s", peer.c_str(), "");
  std::printf("\n%-22s%8s%5s%7s", "", "ms", "+-%", "share");
  for (std::size_t i = 0; i < peers_.size(); ++i) std::printf("%8s%7s", "ms", "ratio");
  std::printf("\n");
}

void Table::line(const Measured& measured) const {
  const auto& ours = measured.contenders[0].seconds;
  std::printf("%-22s%8s%5.0f%7.2f", measured.workload.c_str(), milliseconds(median(ours)).c_str(), 100 * spread(ours),
              share(measured));
  for (const std::string& peer : peers_) {
    std::size_t c = 1;
    while (c < measured.contenders.size() && measured.contenders[c].name != peer) ++c;
    if (c == measured.contenders.size())
      std::printf("%8s%7s", "-", "");
    else
      std::printf("%8s%7.2f", milliseconds(median(measured.contenders[c].seconds)).c_str(), ratio(measured, c));
  }
  std::printf("\n");
  std::fflush(stdout);
}

std::string json_of(const std::vector<Measured>& all, const std::vector<Present>& present, int threads) {
  using nlohmann::json;
  double load[3] = {};
  (void)!getloadavg(load, 3);
  json out = {{"processor", processor()}, {"threads", threads}, {"compiler", __VERSION__}, {"load", load[0]}};
  for (const Present& peer : present) out["peers"][peer.name] = peer.version;
  out["workloads"] = json::array();
  for (const Measured& measured : all) {
    json one = {{"name", measured.workload}, {"flops", measured.flops}, {"share", share(measured)},
                {"product_256_seconds", measured.product}};
    for (std::size_t c = 0; c < measured.contenders.size(); ++c) {
      const auto& [name, seconds] = measured.contenders[c];
      one["contenders"].push_back({{"name", name}, {"median_seconds", median(seconds)}, {"spread", spread(seconds)},
                                   {"ratio", ratio(measured, c)}, {"seconds", seconds}});
    }
    out["workloads"].push_back(one);
  }
  return out.dump(1) + "\n";
}

}  // namespace hindsight::bench
