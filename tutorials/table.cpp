// Tables: printed, saved, drawn by gnuplot.
#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <numeric>

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

namespace {

/// As gnuplot reads it, whatever quotes are in it.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out.append(c == '\'' ? 2 : 1, c);
  return out + "'";
}

std::string titles(const Table::Picture& picture) {
  return "set title " + quoted(picture.title) + "\nset xlabel " + quoted(picture.x) + "\nset ylabel " + quoted(picture.y) +
         "\n";
}

}  // namespace

void Table::save(const Picture& picture) const {
  save();
  std::string commands = "set grid lc rgb '#dddddd'\n" + titles(picture);
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
  draw(titles(picture) +
           "set palette gray negative\nset cbrange [0:*]\nset format cb '%g'\nset autoscale fix\nunset key\nplot 'out/" +
           name_ + ".csv' using 1:2:3 with image",
       picture.see);
}

void draw_seeds(const std::string& name, const std::vector<std::size_t>& x, const std::vector<SeedCurve>& curves,
                Table::Picture picture) {
  std::vector<std::string> columns{picture.x};
  std::printf("%8s", picture.x.c_str());
  for (const SeedCurve& curve : curves) {
    columns.insert(columns.end(), {curve.name, "lowest", "highest"});
    std::printf("%27s", curve.name.c_str());
  }
  std::printf("\n");
  Table table(name, columns);
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::vector<double> row{static_cast<double>(x[i])};
    if (i > 0 && row[0] > picture.mark && static_cast<double>(x[i - 1]) <= picture.mark)
      std::printf("beyond %g:\n", picture.mark);
    std::printf("%8zu", x[i]);
    for (const SeedCurve& curve : curves) {
      std::vector<double> here;
      for (const auto& seed : curve.seeds) here.push_back(seed.at(i));
      const auto [lowest, highest] = std::minmax_element(here.begin(), here.end());
      const double sum = std::accumulate(here.begin(), here.end(), 0.0);
      row.insert(row.end(), {sum / static_cast<double>(here.size()), *lowest, *highest});
      std::printf("%27s", (here.size() == 1 ? text("%.3f", here[0]) : spread(here)).c_str());
    }
    std::printf("\n");
    table.row(row);
  }
  picture.spread = true;
  table.save(picture);
}

}  // namespace hindsight::tutorial
