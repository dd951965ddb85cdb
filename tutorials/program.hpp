// What the tutorial programs share: options, tables, pictures, and one clear line when something is
// wrong. Nothing here is about learning; read the numbered programs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace hindsight::tutorial {

/// A program with options. Every one has --help, and --seed if it draws random numbers.
class Program {
 public:
  /// `about` is what --help says first.
  explicit Program(const std::string& about);
  ~Program();

  /// An option with a value; what it holds now is the default, which --help shows.
  void option(const std::string& name, std::uint64_t& value, const std::string& help);
  void option(const std::string& name, double& value, const std::string& help);
  void option(const std::string& name, std::string& value, const std::string& help);
  void flag(const std::string& name, bool& value, const std::string& help);

  /// Parses the command line and runs `body`. Returns the exit status: on a bad option or an Error, one
  /// line on standard error, and not 0.
  int run(int argc, char** argv, const std::function<void()>& body);

 private:
  std::unique_ptr<CLI::App> app_;
};

/// Prints the line that the summary of all tutorials shows.
void result(const std::string& text);

/// printf to a string.
[[gnu::format(printf, 1, 2)]] std::string text(const char* format, ...);

/// What several seeds gave, "mean (lowest - highest)", with three decimals.
std::string spread(const std::vector<double>& of_seeds);

/// `count` numbers drawn from a normal distribution of mean 0 and standard deviation `size`.
std::vector<double> noise(std::size_t count, double size, std::uint64_t seed);

/// The Euclidean length of a vector.
double norm(const std::vector<double>& v);

/// Numbers in named columns: printed, saved as out/NAME.csv, and drawn to out/NAME.svg.
class Table {
 public:
  Table(std::string name, std::vector<std::string> columns);

  /// A row, one number a column; NaN leaves the place empty.
  void row(std::vector<double> numbers);

  /// Prints it, every `each`-th row.
  void print(std::size_t each = 1) const;

  /// How it is drawn: the first column across, each other one a curve. With `spread` three columns are one
  /// curve: its middle, and the lowest and the highest as bars. At `mark`, if not 0, stands a dashed line: where
  /// training ends, say.
  struct Picture {
    std::string title, x, y;
    std::string see = title;  // a sentence: what to see in it
    bool log_x = false, log_y = false, spread = false;
    double mark = 0;
  };

  /// Writes out/NAME.csv and out/NAME.svg, and says where. Without gnuplot there is no picture, and a line
  /// says so. Throws Error if out/ cannot be written.
  void save(const Picture& picture) const;
  void save() const;

  /// The same as a map of colours: the first two columns are places, the third is shown.
  void save_map(const Picture& picture) const;

 private:
  std::string csv() const;
  void draw(const std::string& commands, const std::string& see) const;

  std::string name_;
  std::vector<std::string> columns_;
  std::vector<std::vector<double>> rows_;
};

/// A curve of several seeds: a list of numbers for each of them.
struct SeedCurve {
  std::string name;
  std::vector<std::vector<double>> seeds;
};

/// Prints, saves and draws curves over x: the mean of the seeds, the lowest and the highest. `picture.spread` is set.
void draw_seeds(const std::string& name, const std::vector<std::size_t>& x, const std::vector<SeedCurve>& curves,
                Table::Picture picture);

/// Runs job(0) .. job(count - 1) on as many threads as the machine has cores, each with tapes and models
/// of its own: what comes out does not depend on how many there are. The first exception is thrown on.
void in_parallel(std::size_t count, const std::function<void(std::size_t)>& job);

/// Shows how far a long run is, with speed and time left: a line every five seconds, and one at the end. It goes
/// to standard error: what a program prints for the same seed is the same.
class Progress {
 public:
  Progress(std::string what, std::size_t steps);
  void show(std::size_t step, const std::string& now);

 private:
  std::string what_;
  std::size_t steps_;
  std::optional<std::size_t> first_;  // the step it began with: a resumed run does not begin at 0
  double begun_, shown_ = 0;
};

/// Has Ctrl-C been pressed? Long runs ask between steps, and stop with what they have; a second Ctrl-C
/// ends the program at once.
bool interrupted();

}  // namespace hindsight::tutorial
