#include "tutorials/program.hpp"

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <exception>

#include "autodiff/error.hpp"
#include "autodiff/random.hpp"

namespace hindsight::tutorial {
namespace {

// What is expected of a number option, in place of the parser's "Could not convert".
template <class T>
void add(CLI::App& app, const std::string& name, T& value, const std::string& help) {
  app.add_option(name, value, help)->capture_default_str();
}

}  // namespace

Program::Program(const std::string& about) : app_(std::make_unique<CLI::App>(about)) {}
Program::~Program() = default;

void Program::option(const std::string& name, std::uint64_t& value, const std::string& help) {
  add(*app_, name, value, help);
}
void Program::option(const std::string& name, double& value, const std::string& help) { add(*app_, name, value, help); }
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
