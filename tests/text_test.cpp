// Reading UTF-8 text and cutting it into lines, words and characters; the Bible.

#include "models/text.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstring>
#include <fstream>

#include "autodiff/error.hpp"
#include "models/bible.hpp"
#include "tests/temporary_directory.hpp"

using namespace hindsight;
using namespace std::literals;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;
using Catch::Matchers::MessageMatches;
using Pieces = std::vector<std::string_view>;

namespace {

/// What `read_text` makes of a file with these bytes.
std::string read_as_file(std::string_view bytes) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("t.txt");
  std::ofstream(path, std::ios::binary) << bytes;
  return read_text(path);
}

Pieces characters_of(std::string_view text) {
  Pieces pieces;
  for (std::string_view c : characters(text)) pieces.push_back(c);
  return pieces;
}

}  // namespace

TEST_CASE("A byte order mark and CR LF leave no trace") {
  const std::string text = read_as_file("\uFEFFa b\r\nc");
  REQUIRE(text == "a b\nc");
  const Pieces rows = lines(text);
  REQUIRE(rows == Pieces{"a b", "c"});
  CHECK(words(rows[0]) == Pieces{"a", "b"});
  CHECK(words(rows[1]) == Pieces{"c"});
}

TEST_CASE("Line ends of every kind become LF") {
  CHECK(read_as_file("a\rb") == "a\nb");
  CHECK(read_as_file("a\rb\r") == "a\nb\n");
  CHECK(read_as_file("a\r\r\n\nb\n\r") == "a\n\n\nb\n\n");
  CHECK(read_as_file("\r\n") == "\n");
}

TEST_CASE("Only LF ends a line") {
  const Pieces marks = {"\u2028", "\u2029", "\u0085", "\x0B", "\x0C", "\x1C", "\0"sv};
  for (std::string_view mark : marks) {
    const std::string line = "a" + std::string(mark) + "b";
    const std::string text = read_as_file(line + "\n");
    CHECK(lines(text) == Pieces{line});
    CHECK(words(line) == Pieces{line});
  }
}

TEST_CASE("Lines keep their places") {
  CHECK(lines("").empty());
  CHECK(lines("\n") == Pieces{""});
  CHECK(lines("a") == Pieces{"a"});
  CHECK(lines("a\n") == Pieces{"a"});
  CHECK(lines("\na\n\n\nb") == Pieces{"", "a", "", "", "b"});
  CHECK(lines("a\n\n") == Pieces{"a", ""});
}

TEST_CASE("Words stand between spaces and tabs") {
  CHECK(words("").empty());
  CHECK(words(" \t ").empty());
  CHECK(words("  so\tit  is ") == Pieces{"so", "it", "is"});
  CHECK(words("a\u00A0b") == Pieces{"a\u00A0b"});
}

TEST_CASE("Characters are code points of one to four bytes, NUL among them") {
  CHECK(characters_of("").empty());
  CHECK(characters_of("a\0\u00E9\u20AC\U0001F600"sv) ==
        Pieces{"a", "\0"sv, "\u00E9", "\u20AC", "\U0001F600"});
  CHECK_THROWS_AS(characters("a\xFF"), Error);
}

TEST_CASE("Text is not normalised: two spellings of one word stay two") {
  CHECK(characters_of("\u00E9") == Pieces{"\u00E9"});
  CHECK(characters_of("e\u0301") == Pieces{"e", "\u0301"});
  CHECK(read_as_file("\u00E9e\u0301") == "\u00E9e\u0301");
}

TEST_CASE("Bytes that are not UTF-8 are named with line, offset and value") {
  struct Case {
    std::string_view bytes, message;
  };
  const Case cases[] = {
      {"\x61\xE2\x82", "line 1, byte offset 1: 0xE2"},          // cut off
      {"\xFF", "line 1, byte offset 0: 0xFF"},                  // never in UTF-8
      {"\xC0\x80", "line 1, byte offset 0: 0xC0"},              // overlong NUL
      {"\xE0\x80\x80", "line 1, byte offset 0: 0xE0"},          // overlong in three
      {"\xF0\x80\x80\x80", "line 1, byte offset 0: 0xF0"},      // overlong in four
      {"\xED\xA0\x80", "line 1, byte offset 0: 0xED"},          // a surrogate
      {"\xF4\x90\x80\x80", "line 1, byte offset 0: 0xF4"},      // above U+10FFFF
      {"\xF8\x88\x80\x80\x80", "line 1, byte offset 0: 0xF8"},  // five bytes
      {"\xE2\x28\xA1", "line 1, byte offset 0: 0xE2"},          // "(" in the middle
      {"\x80", "line 1, byte offset 0: 0x80"},                  // a tail without a head
      {"one\ntwo\nt\xC3", "line 3, byte offset 9: 0xC3"},
      {"one\r\ntwo\r\xC3(", "line 3, byte offset 9: 0xC3"},
      {"\xEF\xBB\xBF\n\xC3", "line 2, byte offset 4: 0xC3"},  // the mark counts as bytes
  };
  for (const Case& c : cases) {
    CHECK_THROWS_MATCHES(read_as_file(c.bytes), Error,
                         MessageMatches(ContainsSubstring("t.txt: " + std::string(c.message))));
  }
  // The neighbours of what is refused: U+10FFFF, U+D7FF, U+E000.
  CHECK(characters_of("\xF4\x8F\xBF\xBF\xED\x9F\xBF\xEE\x80\x80").size() == 3);
}

TEST_CASE("A cut-off character at the end of memory is not read past") {
  const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  char* const pages = static_cast<char*>(
      mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  REQUIRE(pages != MAP_FAILED);
  REQUIRE(mprotect(pages + page, page, PROT_NONE) == 0);
  for (std::string_view bytes : {"a\xE2\x82"sv, "\xF0\x9F\x98"sv, "\xC3"sv}) {
    char* const start = pages + page - bytes.size();
    std::memcpy(start, bytes.data(), bytes.size());
    CHECK_THROWS_AS(check_utf8({start, bytes.size()}, "page"), Error);
  }
  std::memcpy(pages + page - 3, "\u20AC", 3);
  CHECK(characters_of({pages + page - 3, 3}) == Pieces{"\u20AC"});
  munmap(pages, 2 * page);
}

TEST_CASE("A text that cannot be read says why") {
  const TemporaryDirectory directory;
  CHECK_THROWS_MATCHES(read_text(directory.file("none")), Error,
                       MessageMatches(ContainsSubstring("cannot read") &&
                                      EndsWith("none: No such file or directory")));
  CHECK_THROWS_MATCHES(read_text(directory.file("")), Error,
                       MessageMatches(EndsWith("Is a directory")));
  CHECK_THROWS_MATCHES(read_as_file(""), Error, MessageMatches(ContainsSubstring("is empty")));
  CHECK_THROWS_MATCHES(read_as_file("\xEF\xBB\xBF"), Error,
                       MessageMatches(ContainsSubstring("is empty")));
}

TEST_CASE("The Bible comes whole and without references") {
  const std::string text = [] {
    try {
      return read_bible();
    } catch (const Error& error) {
      CHECK_THAT(error.what(), EndsWith("apt-get install bible-kjv"));
      return ""s;
    }
  }();
  if (text.empty()) SKIP("bible-kjv is not installed");
  const Pieces verses = lines(text);
  REQUIRE(verses.size() == 31102);
  CHECK(verses.front() == "In the beginning God created the heaven and the earth.");
  CHECK(verses.back() == "The grace of our Lord Jesus Christ be with you all. Amen.");
  CHECK(std::count(verses.begin(), verses.end(), "Jesus wept.") == 1);
  CHECK(std::none_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; }));
}

TEST_CASE("Without its program the Bible says which package to install") {
  const std::string path = getenv("PATH");
  setenv("PATH", "/nowhere", 1);
  CHECK_THROWS_MATCHES(read_bible(), Error, MessageMatches(EndsWith("apt-get install bible-kjv")));
  setenv("PATH", path.c_str(), 1);
}
