// The pages keep to the code: their quotes stand in it, every tutorial has a page, links lead to files.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace {

/// A fenced block whose opening line is "```cpp PATH", its lines each with their LF.
struct Quote {
  std::string path, lines;
  std::string first_line() const { return lines.substr(0, lines.find('\n')); }
};

struct Page {
  std::vector<Quote> quotes;
  std::vector<std::string> links;  // [text](path), without #part; neither those to the web nor what is code
};

Page parse(const std::string& text) {
  const std::string opening = "```cpp ";
  Page page;
  bool fenced = false, quoting = false;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```")) {
      quoting = !fenced && line.starts_with(opening);
      fenced = !fenced;
      if (quoting) page.quotes.push_back({line.substr(opening.size()), ""});
    } else if (quoting) {
      page.quotes.back().lines += line + '\n';
    } else if (!fenced && !line.starts_with("    ")) {
      for (std::size_t at = 0; (at = line.find("](", at)) != std::string::npos;) {
        at += 2;
        const std::string target = line.substr(at, line.find_first_of("#)", at) - at);
        if (!target.empty() && !target.starts_with("http")) page.links.push_back(target);
      }
    }
  }
  return page;
}

/// Are these whole lines in the file, one after the other as they are?
bool stands_in(const std::string& lines, const std::string& file) {
  return !lines.empty() && ('\n' + file).find('\n' + lines) != std::string::npos;
}

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<fs::path> files(const fs::path& directory, const std::string& extension) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(directory))
    if (entry.path().extension() == extension) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

TEST_CASE("a page is taken apart into what it quotes and where it links to") {
  const Page page = parse(
      "See [a](a.md), [b](../b.md#part) and [c](https://c.org/).\n    indented [](code)\n"
      "```cpp d.cpp\n  int d;\n\n  [](int) { return 1; }\n```\n"
      "```cpp\n[](no) quote\n```\n```cpp e.cpp\nint e;\n");
  CHECK(page.links == std::vector<std::string>{"a.md", "../b.md"});
  REQUIRE(page.quotes.size() == 2);
  CHECK(page.quotes[0].path == "d.cpp");
  CHECK(page.quotes[0].lines == "  int d;\n\n  [](int) { return 1; }\n");
  CHECK(page.quotes[1].path + ": " + page.quotes[1].lines == "e.cpp: int e;\n");
}

TEST_CASE("a quote is whole lines, contiguous and verbatim") {
  const std::string file = "int a;\n  int b;  // two\nint c;\n";
  for (const char* right : {"int a;\n", "  int b;  // two\nint c;\n", "int a;\n  int b;  // two\nint c;\n"})
    CHECK(stands_in(right, file));
  for (const char* wrong : {"", "int d;\n", "int b;  // two\n", "  int b;\n", "int a;\nint c;\n", "int c;\n\n"})
    CHECK_FALSE(stands_in(wrong, file));
  CHECK_FALSE(stands_in("int a;\n", read("no/such/file")));
}

TEST_CASE("what the pages quote stands in the code, and their links lead to files") {
  for (const char* directory : {".", "docs", "docs/tutorials"}) {
    const auto pages = files(directory, ".md");
    CHECK_FALSE(pages.empty());
    for (const fs::path& path : pages) {
      const Page page = parse(read(path));
      INFO("page: " << path.string());
      for (const Quote& quote : page.quotes) {
        INFO("quotes " << quote.path << " from: " << quote.first_line());
        CHECK(stands_in(quote.lines, read(quote.path)));
      }
      for (const std::string& link : page.links) {
        INFO("link: " << link);
        CHECK(fs::exists(path.parent_path() / link));
      }
    }
  }
}

TEST_CASE("every tutorial has a page, and the page quotes code") {
  std::size_t tutorials = 0;
  for (const fs::path& program : files("tutorials", ".cpp")) {
    const std::string name = program.stem().string();
    if (name.find_first_not_of("0123456789") != 2 || name[2] != '_') continue;
    ++tutorials;
    INFO("page: docs/tutorials/" << name << ".md");
    CHECK_FALSE(parse(read("docs/tutorials/" + name + ".md")).quotes.empty());
  }
  CHECK(tutorials >= 8);
}
