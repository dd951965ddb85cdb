// Ours and others on the same work: whether they give the same, and how long each takes. bench/run builds and calls it.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "autodiff/error.hpp"
#include "autodiff/threads.hpp"
#include "bench/compare/onednn.hpp"
#include "bench/compare/openblas.hpp"
#include "bench/compare/report.hpp"
#include "bench/compare/torch.hpp"
#include "models/atomic_file.hpp"

namespace hindsight::bench {
namespace {

struct Options {
  std::vector<std::string> which;
  std::string json, python = "/usr/bin/python3";
  Effort effort;
  int threads = 1;
  bool list = false, check = false, ours_only = false;
};

/// The threads of the libraries in this process; PyTorch's gets them when it starts.
void set_all_threads(int count) {
  set_threads(static_cast<std::size_t>(count));
  set_onednn_threads(count);
  set_openblas_threads(count);
}

/// Ours once more, on one thread.
class OneThread : public Contender {
 public:
  explicit OneThread(std::unique_ptr<Ours> ours) : ours_(std::move(ours)) {}

  Arrays results() override {
    const Alone alone;
    return ours_->results();
  }
  double seconds(std::size_t count) override {
    const Alone alone;
    return ours_->seconds(count);
  }

 private:
  struct Alone {
    Alone() { hindsight::set_threads(1); }
    ~Alone() { hindsight::set_threads(before); }
    const std::size_t before = threads();
  };
  void step() override {}

  std::unique_ptr<Ours> ours_;
};

/// Who is there besides us; a line for each who is not.
std::vector<Present> present_peers(const Options& options) {
  std::vector<Present> present;
  const auto add = [&](const char* name, const std::string& version, const char* package) {
    if (!version.empty())
      present.push_back({name, version});
    else
      std::printf("%s is not here; apt-get install %s brings it\n", name, package);
  };
  add("oneDNN", onednn_version(), "libdnnl-dev");
  add("OpenBLAS", openblas_version(), "libopenblas-dev");
  add("PyTorch", start_torch(options.python, options.threads), "python3-torch");
  return present;
}

Workloads all_workloads() {
  Workloads all;
  for (auto add : {add_rnn, add_lstm, add_peephole, add_gru, add_gru_reset_after, add_inference, add_models,
                   add_products})
    add(all);
  for (Workload& workload : all) std::erase_if(workload.peers, [](const Peer& peer) { return !peer.make; });
  return all;
}

/// Those with one of the names: a whole name, or words of it: lstm, medium, gru_reset_after. Throws Error for a name
/// that fits none.
Workloads chosen(Workloads all, const std::vector<std::string>& names) {
  const auto fits = [](const Workload& workload, const std::string& name) {
    return ("_" + workload.name + "_").find("_" + name + "_") != std::string::npos;
  };
  for (const std::string& name : names)
    if (std::none_of(all.begin(), all.end(), [&](const Workload& w) { return fits(w, name); }))
      throw Error("there is no workload " + name + "; --list names them");
  if (!names.empty())
    std::erase_if(all, [&](const Workload& w) {
      return std::none_of(names.begin(), names.end(), [&](const std::string& name) { return fits(w, name); });
    });
  return all;
}

/// Refuses, before minutes of work, a file that cannot be written after it.
void check_writable(const std::string& file) {
  const auto folder = std::filesystem::absolute(file).parent_path();
  if (std::filesystem::is_directory(file) || ::access(folder.c_str(), W_OK) != 0)
    throw Error("--json: " + file + " cannot be written");
}

/// Shows what happens, on a terminal: the next line of the table takes its place.
void show(const std::string& now) {
  if (::isatty(STDERR_FILENO)) std::fprintf(stderr, "\r\033[K%s", now.c_str());
}

int compare(const Options& options) {
  if (!options.json.empty()) check_writable(options.json);
  chosen(all_workloads(), options.which);  // a mistyped name is told before anything starts
  set_all_threads(options.threads);
  const auto present = options.ours_only ? std::vector<Present>() : present_peers(options);
  Workloads workloads = chosen(all_workloads(), options.which);
  if (options.ours_only)
    for (Workload& workload : workloads) workload.peers.clear();
  if (options.threads > 1)
    for (Workload& workload : workloads)
      workload.peers.insert(workload.peers.begin(), {"1 thread", [ours = workload.ours](const Work&) {
                                                       return std::make_unique<OneThread>(ours());
                                                     }});

  for (const Present& peer : present) std::printf("%s %s, ", peer.name.c_str(), peer.version.c_str());
  std::printf("%d thread%s\n", options.threads, options.threads == 1 ? "" : "s");
  const Table table(workloads);
  if (!options.check) table.head();
  std::vector<Measured> all;
  std::vector<std::string> wrong;
  for (const Workload& workload : workloads) {
    const std::size_t before = wrong.size();
    const auto number = std::to_string(&workload - workloads.data() + 1) + " of " + std::to_string(workloads.size());
    const auto now = [&](const std::string& what) { show(number + ", " + workload.name + ": " + what); };
    const Measured measured = measure(workload, options.check ? Effort{0, 0} : options.effort, wrong, now);
    show("");
    for (std::size_t i = before; i < wrong.size(); ++i) std::fprintf(stderr, "%s\n", wrong[i].c_str());
    if (options.check) {
      std::printf("%-24s", workload.name.c_str());
      for (std::size_t c = 1; c < measured.contenders.size(); ++c)
        std::printf(" %s", measured.contenders[c].name.c_str());
      std::printf("%s\n", measured.contenders.size() > 1 ? ": the same" : "");
      std::fflush(stdout);
    } else {
      table.line(measured);
      all.push_back(measured);
      if (!options.json.empty())
        write_file_atomically(options.json, json_of(all, present, options.threads));
    }
  }
  stop_torch();
  if (!options.check)
    std::printf("ms: median of a step; +-: half the distance of its quartiles; share: the time that the step's matrix\n"
                "products alone would take, as fast as ours of 256 x 256 x 256, over ours; ratio: their time over ours\n");
  return wrong.empty() ? 0 : 1;
}

int run(int argc, char** argv) {
  CLI::App app("Times training steps of ours and of other libraries in turn, after checking that they give the same.");
  Options options;
  app.add_option("workload", options.which, "a name of --list, or words of names: lstm, medium; none: all");
  app.add_option("--json", options.json, "write all numbers to this file, after each workload");
  app.add_option("--rounds", options.effort.rounds, "measure at least so often")
      ->check(CLI::Range(1, 100000))->capture_default_str();
  app.add_option("--seconds", options.effort.seconds, "measure each workload at least so long")
      ->check(CLI::Range(0.0, 1e6))->capture_default_str();
  app.add_option("--threads", options.threads, "threads of all; more than 1 compares ours with ours on 1, too")
      ->check(CLI::Range(1, 1024))->capture_default_str();
  app.add_option("--python", options.python, "the Python that has PyTorch")->capture_default_str();
  app.add_flag("--list", options.list, "name the workloads");
  app.add_flag("--check", options.check, "compare the results, without timing");
  app.add_flag("--ours-only", options.ours_only, "without the others, for a profiler");
  try {
    app.parse(argc, argv);
    if (!options.list) return compare(options);
    for (const Workload& workload : chosen(all_workloads(), options.which)) std::printf("%s\n", workload.name.c_str());
    return 0;
  } catch (const CLI::Success& done) {  // --help
    return app.exit(done);
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "bench/run: %s; --help lists the options\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "bench/run: %s\n", error.what());
    return 1;
  }
}

}  // namespace
}  // namespace hindsight::bench

int main(int argc, char** argv) {
  hindsight::bench::wake_openblas(argv);
  return hindsight::bench::run(argc, argv);
}
