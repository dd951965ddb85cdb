// Pairs from one file and from two: quotes, line ends, what is missing or too much.

#include "models/parallel_text.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fstream>

#include "tests/error_text.hpp"
#include "tests/temporary_directory.hpp"

using namespace hindsight;
using namespace std::literals;
using Pairs = std::vector<Pair>;

namespace {

std::string write(const TemporaryDirectory& directory, const std::string& name, std::string_view bytes) {
  std::ofstream(directory.file(name), std::ios::binary) << bytes;
  return directory.file(name);
}

Pairs pairs_of(std::string_view bytes) {
  const TemporaryDirectory directory;
  return read_pairs(write(directory, "pairs.tsv", bytes));
}

Pairs pairs_of(std::string_view sources, std::string_view targets) {
  const TemporaryDirectory directory;
  return read_pairs(write(directory, "a.txt", sources), write(directory, "b.txt", targets));
}

std::string error_of(std::string_view bytes) {
  return error_text([&] { pairs_of(bytes); });
}

std::string error_of(std::string_view sources, std::string_view targets) {
  return error_text([&] { pairs_of(sources, targets); });
}

}  // namespace

TEST_CASE("a pair on each line, before and behind a tab") {
  CHECK(pairs_of("one\tun\ntwo words\tdeux mots\n") == Pairs{{"one", "un"}, {"two words", "deux mots"}});
  CHECK(pairs_of("a\tb") == Pairs{{"a", "b"}});
}

TEST_CASE("quotation marks are characters") {
  CHECK(pairs_of("\"hi there\tx1\nfoo\tx2\nbar\" baz\tx3\n") ==
        Pairs{{"\"hi there", "x1"}, {"foo", "x2"}, {"bar\" baz", "x3"}});
}

TEST_CASE("byte order mark and line ends leave no trace in pairs, other marks are text") {
  CHECK(pairs_of("\uFEFFa\tb\r\nc\td\re\tf\n") == Pairs{{"a", "b"}, {"c", "d"}, {"e", "f"}});
  CHECK(pairs_of("a\u2028\tb\u0085\x0B\n") == Pairs{{"a\u2028", "b\u0085\x0B"}});
  CHECK(pairs_of("a\0\tb\n"sv) == Pairs{{"a\0"s, "b"}});
  CHECK(pairs_of(" \t \n") == Pairs{{" ", " "}});
}

TEST_CASE("a line that is no pair is named") {
  CHECK(says(error_of("a\tb\nc\n"), {"pairs.tsv: line 2 has 0 tabs", "expected"}));
  CHECK(says(error_of("a\tb\tc\n"), {"pairs.tsv: line 1 has 2 tabs"}));
  CHECK(says(error_of("\t\t\n"), {"pairs.tsv: line 1 has 2 tabs"}));
  CHECK(says(error_of("a\tb\n\nc\td\n"), {"pairs.tsv: line 2 has 0 tabs"}));
  CHECK(says(error_of("a\tb\na\t\n"), {"pairs.tsv: line 2 has no target"}));
  CHECK(says(error_of("a\tb\nc\td\n\tb"), {"pairs.tsv: line 3 has no source"}));
  CHECK(says(error_of("\t"), {"pairs.tsv: line 1 has no source"}));
}

TEST_CASE("two files, line by line") {
  CHECK(pairs_of("one\ntwo\n", "un\r\ndeux") == Pairs{{"one", "un"}, {"two", "deux"}});
  CHECK(pairs_of("a\tb\n", "c\n") == Pairs{{"a\tb", "c"}});
  CHECK(pairs_of("a\u2028b\nc\n", "d\ne\n") == Pairs{{"a\u2028b", "d"}, {"c", "e"}});
}

TEST_CASE("two files that do not fit are named with their numbers of lines") {
  CHECK(says(error_of("1\n2\n3\n4\n5\n", "1\n2\n3\n4\n"), {"a.txt has 5 lines", "b.txt has 4"}));
  CHECK(says(error_of("1\n", "1\n\n"), {"a.txt has 1 lines", "b.txt has 2"}));
}

TEST_CASE("an empty line keeps its place, and is named") {
  CHECK(says(error_of("1\n\n3\n", "1\n2\n3\n"), {"a.txt: line 2 is empty"}));
  CHECK(says(error_of("1\n2\n3\n", "1\n2\n\n"), {"b.txt: line 3 is empty"}));
}

TEST_CASE("files are read as text") {
  CHECK(says(error_of("a\tb\nc\t\xFF\n"), {"pairs.tsv: line 2, byte offset 6: 0xFF"}));
  CHECK(says(error_of("a\n", "b\xC3\n"), {"b.txt: line 1, byte offset 1"}));
  CHECK(says(error_of("\xFF\n", "b\n"), {"a.txt: line 1, byte offset 0"}));
  CHECK(says(error_of(""), {"pairs.tsv", "is empty"}));
  CHECK(says(error_of("a\n", ""), {"b.txt", "is empty"}));
  const TemporaryDirectory directory;
  CHECK(says(error_text([&] { read_pairs(directory.file("none")); }), {"cannot read", "none"}));
}

TEST_CASE("a long line is a line like any other") {
  const std::string half(4000000, 'x');
  const Pairs pairs = pairs_of(half + "\t" + half + "y\na\tb\n");
  REQUIRE(pairs.size() == 2);
  CHECK(pairs[0].source == half);
  CHECK(pairs[0].target == half + "y");
}
