// Tables: printed, saved, drawn by gnuplot.
#include <sys/wait.h>

#include <cmath>
#include <cstdio>
#include <filesystem>

#include "autodiff/error.hpp"
#include "models/atomic_file.hpp"
#include "tutorials/program.hpp"

namespace hindsight::tutorial {
namespace {

std::string number(double x) { return std::isnan(x) ? "" : text("%.6g", x); }

}  // namespace

Table::Table(std::string name, std::vector<std::string> columns) : name_(std::move(name)), columns_(std::move(columns)) {}

void Table::row(std::vector<double> numbers) {
  if (numbers.size() != columns_.size())
    throw Error("table " + name_ + ": a row of " + std::to_string(numbers.size()) + " numbers for " +
                std::to_string(columns_.size()) + " columns");
  rows_.push_back(std::move(numbers));
}

void Table::print(std::size_t each) const {
  for (const std::string& column : columns_) std::printf("%14s", column.c_str());
  std::printf("\n");
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    if (r % each != 0 && r + 1 != rows_.size()) continue;
    for (double x : rows_[r]) std::printf("%14s", std::isnan(x) ? "" : text("%.4g", x).c_str());
    std::printf("\n");
  }
}

std::string Table::csv() const {
  std::string out;
  for (std::size_t c = 0; c < columns_.size(); ++c) out += (c ? "," : "") + columns_[c];
  for (const auto& row : rows_) {
    out += '\n';
    for (std::size_t c = 0; c < row.size(); ++c) out += (c ? "," : "") + number(row[c]);
  }
  return out + '\n';
}

void Table::save() const {
  std::error_code error;
  std::filesystem::create_directories("out", error);
  write_file_atomically("out/" + name_ + ".csv", csv());
  std::printf("out/%s.csv\n", name_.c_str());
}

void Table::draw(const std::string& commands, const std::string& see) const {
  const std::string svg = "out/" + name_ + ".svg";
  std::FILE* gnuplot = ::popen("gnuplot 2>/dev/null", "w");
  bool drawn = gnuplot != nullptr;
  if (gnuplot) {
    std::fprintf(gnuplot,
                 "set terminal svg size 760,480 font 'sans,13' background 'white'\nset output '%s'\n"
                 "set datafile separator ','\nset datafile missing ''\nset key autotitle columnhead\n%s\n",
                 svg.c_str(), commands.c_str());
    drawn = ::pclose(gnuplot) == 0;
  }
  if (drawn)
    std::printf("%s: %s\n", svg.c_str(), see.c_str());
  else
    std::printf("not drawn, gnuplot is missing (apt-get install gnuplot-nox): %s\n", svg.c_str());
}

void Table::save(const Picture& picture) const {
  save();
  std::string commands = "set grid lc rgb '#dddddd'\nset title \"" + picture.title + "\"\nset xlabel \"" + picture.x +
                         "\"\nset ylabel \"" + picture.y + "\"\n";
  if (picture.log_x) commands += "set logscale x\n";
  if (picture.log_y) commands += "set logscale y\nset format y '10^{%T}'\n";
  if (picture.spread) commands += "set key outside\n";
  if (picture.mark != 0)
    commands += text("set arrow from %g, graph 0 to %g, graph 1 nohead dt 2 lc rgb '#888888'\n", picture.mark, picture.mark);
  commands += "plot for [c=2:" + std::to_string(columns_.size()) + (picture.spread ? ":3" : "") + "] 'out/" + name_ +
              ".csv' using " + (picture.spread ? "1:c:c+1:c+2 with yerrorlines" : "1:c with linespoints") + " lw 2 pt 7 ps 0.3";
  draw(commands, picture.see);
}

void Table::save_map(const Picture& picture) const {
  save();
  draw("set title \"" + picture.title + "\"\nset xlabel \"" + picture.x + "\"\nset ylabel \"" + picture.y +
       "\"\nset palette gray negative\nset cbrange [0:*]\nset format cb '%g'\nset autoscale fix\nunset key\nplot 'out/" + name_ +
       ".csv' using 1:2:3 with image", picture.see);
}

}  // namespace hindsight::tutorial
