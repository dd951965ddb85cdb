// Whole files: after a failure or a crash while writing, the old file is there, whole.

#include "models/atomic_file.hpp"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "autodiff/error.hpp"
#include "tests/temporary_directory.hpp"

using namespace hindsight;
using namespace std::literals;
using Catch::Matchers::EndsWith;
using Catch::Matchers::MessageMatches;
namespace fs = std::filesystem;

namespace {

/// Files of this process cannot grow beyond 4096 bytes while this lives: a small full disk.
class SmallDisk {
 public:
  SmallDisk() {
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit small = before_;
    small.rlim_cur = 4096;
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallDisk() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_;
};

const std::string large(1 << 20, 'x');

}  // namespace

TEST_CASE("What was written is read, byte for byte") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("a");
  for (const std::string& bytes : {"new"s, ""s, "\r\n\0\xFF"s, large, "shorter"s}) {
    write_file_atomically(path, bytes);
    CHECK(read_file(path) == bytes);
    CHECK_FALSE(fs::exists(path + ".part"));
  }
}

TEST_CASE("A name without a directory is in the current one") {
  const TemporaryDirectory directory;
  const fs::path before = fs::current_path();
  fs::current_path(directory.file(""));
  write_file_atomically("a", "here");
  fs::current_path(before);
  CHECK(read_file(directory.file("a")) == "here");
}

TEST_CASE("A disk that fills up costs the new file only") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("a");
  write_file_atomically(path, "old");
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);  // a failed write instead of a signal
  {
    const SmallDisk disk;
    CHECK_THROWS_MATCHES(write_file_atomically(path, large), Error,
                         MessageMatches(EndsWith("a: File too large")));
  }
  std::signal(SIGXFSZ, handler);
  CHECK(read_file(path) == "old");
  CHECK_FALSE(fs::exists(path + ".part"));
}

TEST_CASE("A crash while writing leaves the old file, and the next write cleans up") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("a");
  write_file_atomically(path, "old");
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {  // killed by SIGXFSZ in the middle of its write
    const rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    std::signal(SIGXFSZ, SIG_DFL);
    const SmallDisk disk;
    write_file_atomically(path, large);
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFSIGNALED(status));
  CHECK(fs::file_size(path + ".part") == 4096);
  CHECK(read_file(path) == "old");

  write_file_atomically(path, "new");
  CHECK(read_file(path) == "new");
  CHECK_FALSE(fs::exists(path + ".part"));
}

TEST_CASE("Where nothing can be written the old file stays") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("a");
  write_file_atomically(path, "old");
  fs::create_directory(path + ".part");  // stops even root
  CHECK_THROWS_MATCHES(write_file_atomically(path, "new"), Error,
                       MessageMatches(EndsWith("a: Is a directory")));
  CHECK(read_file(path) == "old");
  CHECK_THROWS_MATCHES(write_file_atomically(directory.file("none/a"), "new"), Error,
                       MessageMatches(EndsWith("none/a: No such file or directory")));
  CHECK_THROWS_MATCHES(write_file_atomically(path + "/b", "new"), Error,
                       MessageMatches(EndsWith("a/b: Not a directory")));
}

TEST_CASE("Only regular files are replaced") {
  const TemporaryDirectory directory;
  CHECK_THROWS_MATCHES(write_file_atomically(directory.file(""), "x"), Error,
                       MessageMatches(EndsWith("not a regular file")));
  const std::string pipe = directory.file("pipe");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_THROWS_AS(write_file_atomically(pipe, "x"), Error);
  CHECK(fs::is_fifo(pipe));
}

TEST_CASE("A symbolic link stays a link, its target is replaced") {
  const TemporaryDirectory directory;
  write_file_atomically(directory.file("a"), "old");
  fs::create_symlink("a", directory.file("link"));
  write_file_atomically(directory.file("link"), "new");
  CHECK(fs::is_symlink(directory.file("link")));
  CHECK(read_file(directory.file("a")) == "new");
}

TEST_CASE("A file that cannot be read says why") {
  const TemporaryDirectory directory;
  CHECK_THROWS_MATCHES(read_file(directory.file("none")), Error,
                       MessageMatches(EndsWith("none: No such file or directory")));
  CHECK_THROWS_MATCHES(read_file(directory.file("")), Error,
                       MessageMatches(EndsWith("Is a directory")));
}
