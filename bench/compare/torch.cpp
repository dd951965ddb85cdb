#include "bench/compare/torch.hpp"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "autodiff/error.hpp"

namespace hindsight::bench {
namespace {

using nlohmann::json;

/// The Python program torch_peer at the other end of a socket. A request is a line of JSON, after which the numbers of
/// its arrays follow as they lie in memory; so is the answer.
class Process {
 public:
  Process(const std::string& python, int threads) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      throw Error("PyTorch: there is no socket for it");
    const std::string count = std::to_string(threads);
    child_ = ::fork();
    if (child_ == 0) {
      ::dup2(ends[1], STDIN_FILENO);
      ::dup2(ends[1], STDOUT_FILENO);
      ::setenv("OMP_NUM_THREADS", count.c_str(), 1);
      ::setenv("OPENBLAS_NUM_THREADS", count.c_str(), 1);
      ::execlp(python.c_str(), python.c_str(), HINDSIGHT_TORCH_PEER, nullptr);
      ::_exit(127);
    }
    ::close(ends[1]);
    end_ = ends[0];
  }
  ~Process() {
    ::close(end_);
    if (child_ > 0) ::waitpid(child_, nullptr, 0);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  json ask(json request, const Arrays& arrays = {}) {
    request["arrays"] = json::array();
    for (const Array& array : arrays) request["arrays"].push_back({{"name", array.name}, {"shape", array.shape}});
    const std::string line = request.dump() + "\n";
    send(line.data(), line.size());
    for (const Array& array : arrays) send(array.values.data(), array.values.size() * sizeof(float));
    return answer();
  }

  json answer() {
    std::string line;
    for (char c = 0; receive(&c, 1), c != '\n';) line += c;
    const json said = json::parse(line);
    if (said.contains("error")) throw Error("PyTorch: " + said["error"].get<std::string>());
    return said;
  }

  /// The arrays that an answer has told of.
  Arrays arrays(const json& said) {
    Arrays all;
    for (const json& one : said["arrays"]) {
      all.push_back({one["name"], one["shape"], std::vector<float>(one["count"].get<std::size_t>())});
      receive(all.back().values.data(), all.back().values.size() * sizeof(float));
    }
    return all;
  }

 private:
  void send(const void* bytes, std::size_t count) {
    for (const char* at = static_cast<const char*>(bytes); count > 0;) {
      const ssize_t sent = ::send(end_, at, count, MSG_NOSIGNAL);
      if (sent <= 0) throw Error("PyTorch: its process has ended");
      at += sent;
      count -= static_cast<std::size_t>(sent);
    }
  }
  void receive(void* bytes, std::size_t count) {
    for (char* at = static_cast<char*>(bytes); count > 0;) {
      const ssize_t got = ::read(end_, at, count);
      if (got <= 0) throw Error("PyTorch: its process has ended");
      at += got;
      count -= static_cast<std::size_t>(got);
    }
  }

  int end_ = -1;
  pid_t child_ = -1;
};

std::unique_ptr<Process> process;

/// A piece of work in that process.
class Torch : public Contender {
 public:
  Torch(const std::string& name, const Work& work) {
    id_ = process->ask({{"do", "make"}, {"how", name}, {"kind", work.kind}}, work.arrays)["id"];
  }
  ~Torch() override {
    try {
      process->ask({{"do", "forget"}, {"id", id_}});
    } catch (const Error&) {  // it has ended: nothing is left to forget
    }
  }
  Arrays results() override { return process->arrays(process->ask({{"do", "results"}, {"id", id_}})); }
  double seconds(std::size_t count) override {
    return process->ask({{"do", "steps"}, {"id", id_}, {"count", count}})["seconds"];
  }

 protected:
  void step() override { seconds(1); }

 private:
  int id_;
};

}  // namespace

std::string start_torch(const std::string& python, int threads) {
  try {
    process = std::make_unique<Process>(python, threads);
    return process->answer()["torch"];
  } catch (const Error&) {
    process.reset();
    return "";
  }
}

void stop_torch() { process.reset(); }

Peer torch_peer(const std::string& name) {
  if (!process) return {name, nullptr};
  return {name, [name](const Work& work) { return std::make_unique<Torch>(name, work); }};
}

}  // namespace hindsight::bench
