#include "tutorials/program.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <exception>
#include <numeric>

#include "autodiff/error.hpp"
#include "autodiff/random.hpp"

namespace hindsight::tutorial {
namespace {

// What is wrong with a text as a number of this kind; nothing if it is one. The parser alone would take -1
// for 18446744073709551615.
template <class T>
std::string is_number(const std::string& text, const char* kind) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size() && std::isfinite(static_cast<double>(value));
  return whole ? "" : text + " is not " + kind;
}

template <class T>
CLI::Option* add(CLI::App& app, const std::string& name, T& value, const std::string& help) {
  return app.add_option(name, value, help)->capture_default_str();
}

}  // namespace

Program::Program(const std::string& about) : app_(std::make_unique<CLI::App>(about)) {}
Program::~Program() = default;

void Program::option(const std::string& name, std::uint64_t& value, const std::string& help) {
  add(*app_, name, value, help)->check([](const std::string& text) {
    return is_number<std::uint64_t>(text, "a whole number from 0 to 18446744073709551615");
  });
}
void Program::option(const std::string& name, double& value, const std::string& help) {
  add(*app_, name, value, help)->check([](const std::string& text) { return is_number<double>(text, "a number"); });
}
void Program::option(const std::string& name, std::string& value, const std::string& help) {
  add(*app_, name, value, help);
}
void Program::flag(const std::string& name, bool& value, const std::string& help) { app_->add_flag(name, value, help); }

int Program::run(int argc, char** argv, const std::function<void()>& body) {
  const std::string name = argc > 0 ? std::string(argv[0]).substr(std::string(argv[0]).find_last_of('/') + 1) : "";
  try {
    app_->parse(argc, argv);
    body();
    return 0;
  } catch (const CLI::Success& done) {  // --help
    return app_->exit(done);
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "%s: %s; --help lists the options\n", name.c_str(), error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "%s: %s\n", name.c_str(), error.what());
    return 1;
  }
}

void result(const std::string& text) { std::printf("\nresult: %s\n", text.c_str()); }

std::string text(const char* format, ...) {
  std::va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  std::string out(static_cast<std::size_t>(std::vsnprintf(nullptr, 0, format, arguments)), '\0');
  std::vsnprintf(out.data(), out.size() + 1, format, again);
  va_end(arguments);
  va_end(again);
  return out;
}

std::string spread(const std::vector<double>& of_seeds) {
  const auto [lowest, highest] = std::minmax_element(of_seeds.begin(), of_seeds.end());
  const double sum = std::accumulate(of_seeds.begin(), of_seeds.end(), 0.0);
  return text("%.3f (%.3f - %.3f)", sum / static_cast<double>(of_seeds.size()), *lowest, *highest);
}

std::vector<double> noise(std::size_t count, double size, std::uint64_t seed) {
  std::vector<double> xs(count);
  for (std::size_t i = 0; i < count; ++i) xs[i] = size * Random{seed}.child("x").normal(i);
  return xs;
}

double norm(const std::vector<double>& v) {
  double sum = 0;
  for (double x : v) sum += x * x;
  return std::sqrt(sum);
}

}  // namespace hindsight::tutorial
