#include "models/atomic_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

#include "autodiff/error.hpp"

namespace hindsight {
namespace {

namespace fs = std::filesystem;

/// "cannot write model.bin: No space left on device", from errno.
Error system_error(const std::string& action, const std::string& path) {
  return Error("cannot " + action + " " + path + ": " + std::generic_category().message(errno));
}

/// An open file descriptor, closed when it leaves its scope.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }

 private:
  int number_;
};

/// Creates the file at `path` and gets `bytes` onto the disk; false with errno set on failure.
bool write_and_flush(const std::string& path, std::string_view bytes) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file.number() < 0) return false;
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.number(), bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return ::fsync(file.number()) == 0;
}

/// Gets the names in a directory onto the disk; false with errno set on failure.
bool flush_directory(const std::string& path) {
  const Descriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.number() < 0) return false;
  return ::fsync(directory.number()) == 0 || errno == EINVAL;  // EINVAL: a file system without it
}

}  // namespace

std::string read_file(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (!file) throw system_error("read", path);
  std::string bytes;
  char block[1 << 16];
  while (const std::size_t count = std::fread(block, 1, sizeof block, file.get())) {
    bytes.append(block, count);
  }
  if (std::ferror(file.get())) throw system_error("read", path);
  return bytes;
}

void write_file_atomically(const std::string& path, std::string_view bytes) {
  std::error_code ignored;  // what cannot be looked at cannot be opened either, and open says why
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored)) {
    throw Error("cannot write " + path + ": it is there and not a regular file");
  }
  const fs::path target =
      fs::is_symlink(path, ignored) ? fs::weakly_canonical(path, ignored) : fs::path(path);
  const std::string part = target.string() + ".part";
  if (!write_and_flush(part, bytes) || std::rename(part.c_str(), target.c_str()) != 0) {
    const Error error = system_error("write", path);
    ::unlink(part.c_str());
    throw error;
  }
  const std::string directory = target.has_parent_path() ? target.parent_path().string() : ".";
  if (!flush_directory(directory)) throw system_error("flush the directory of", path);
}

}  // namespace hindsight
