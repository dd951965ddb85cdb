// The weight file: written as the format says, and no file, however it lies, gets past the reader.

#include "models/safetensors.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstdint>
#include <cstring>
#include <limits>
#include <tuple>

#include "autodiff/error.hpp"
#include "tests/temporary_directory.hpp"

using namespace hindsight;
using namespace std::literals;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

std::string little_endian(std::uint64_t n) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(n >> (8 * i) & 0xFF);
  return bytes;
}

std::string file_of(const std::string& header, const std::string& data = "") {
  return little_endian(header.size()) + header + data;
}

/// A file whose one tensor has this description and this data.
std::string one_tensor(const std::string& description, const std::string& data = "") {
  return file_of("{\"w\":" + description + "}", data);
}

SafeTensors parse(const std::string& file) {
  // A copy of exactly its size on the heap: AddressSanitizer sees every read past the end.
  const std::vector<char> exact(file.begin(), file.end());
  return parse_safetensors({exact.data(), exact.size()}, "f");
}

template <class T>
std::vector<T> values(const SafeTensors& content, const std::string& name) {
  return to_values<T>(content.tensors.at(name), name);
}

const std::string data = "\x00\x00\xC0\x3F\x00\x00\x00\xC0"s;  // 1.5 and -2.0 as F32

SafeTensors example() {
  SafeTensors content;
  const std::vector<float> w = {1.5f, -2.0f, 3.0f, 0.25f, -0.0f, 7.0f};
  const std::vector<double> d = {1.0 / 3.0};
  content.tensors["w"] = from_values<float>(w, {2, 3});
  content.tensors["b"] = from_values<double>(d, {});
  content.tensors["e"] = from_values<float>({}, {0, 4});
  content.tensors["u"] = {"U8", {3}, "abc"};
  content.metadata["format"] = "\u00E9\n";
  return content;
}

}  // namespace

TEST_CASE("A header that needs no padding and one that has none are both read") {
  const std::string header = R"({"wgt":{"data_offsets":[0,8],"dtype":"F32","shape":[2]}})";
  REQUIRE(header.size() == 56);
  const std::string unpadded = R"({"wgts":{"data_offsets":[0,8],"dtype":"F32","shape":[2]}})";
  REQUIRE(unpadded.size() == 57);
  CHECK(values<float>(parse(file_of(header, data)), "wgt") == std::vector{1.5f, -2.0f});
  CHECK(values<float>(parse(file_of(unpadded, data)), "wgts") == std::vector{1.5f, -2.0f});
  CHECK(values<double>(parse(file_of(unpadded, data)), "wgts") == std::vector{1.5, -2.0});
}

TEST_CASE("The writer pads its header to a multiple of 8 with spaces") {
  for (const auto& [name, bytes, padding] :
       {std::tuple{"w"s, 54u, 2u}, {"ww"s, 55u, 1u}, {"www"s, 56u, 0u}, {"wwww"s, 57u, 7u}}) {
    const std::string file = serialise({{{name, {"F32", {2}, data}}}, {}});
    CHECK(file.substr(0, 8) == little_endian(bytes + padding));
    CHECK(file.substr(8 + bytes) == std::string(padding, ' ') + data);
    CHECK(file[8 + bytes - 1] == '}');
  }
}

TEST_CASE("Odd places, no elements and one element are read") {
  const SafeTensors odd = parse(file_of(R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},)"
                                        R"("b":{"dtype":"F32","shape":[2],"data_offsets":[3,11]}})",
                                        "xyz" + data));
  CHECK(values<float>(odd, "b") == std::vector{1.5f, -2.0f});
  CHECK(odd.tensors.at("a").bytes == "xyz");

  const SafeTensors scalar =
      parse(one_tensor(R"({"dtype":"F32","shape":[],"data_offsets":[0,4]})", data.substr(0, 4)));
  CHECK(values<float>(scalar, "w") == std::vector{1.5f});

  const SafeTensors empty =
      parse(file_of(R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                    R"("e":{"dtype":"F32","shape":[0,4],"data_offsets":[8,8]},)"
                    R"("s":{"dtype":"I64","shape":[4,0],"data_offsets":[0,0]}})",
                    data));
  CHECK(values<float>(empty, "e").empty());
  CHECK(empty.tensors.at("e").shape == std::vector<std::size_t>{0, 4});

  CHECK(parse(file_of("{}")) == SafeTensors{});
  CHECK(parse(file_of("{}      ")) == SafeTensors{});
  CHECK(parse(file_of(R"({"__metadata__":{}})")) == SafeTensors{});
}

TEST_CASE("What was written is read, and the same content gives the same bytes") {
  const SafeTensors content = example();
  const std::string file = serialise(content);
  CHECK(parse(file) == content);
  CHECK(serialise(parse(file)) == file);
  CHECK(parse(serialise({})) == SafeTensors{});

  const TemporaryDirectory directory;
  write_safetensors(directory.file("m"), content);
  CHECK(read_safetensors(directory.file("m")) == content);
  CHECK_THROWS_MATCHES(read_safetensors(directory.file("none")), Error,
                       MessageMatches(ContainsSubstring("none: No such file")));
}

TEST_CASE("Wider types lie first, so that every tensor is aligned") {
  const std::string file = serialise(example());
  std::uint64_t header_bytes = 0;
  std::memcpy(&header_bytes, file.data(), 8);
  CHECK(header_bytes % 8 == 0);
  const double third = 1.0 / 3.0;
  CHECK(std::memcmp(file.data() + 8 + header_bytes, &third, 8) == 0);
  CHECK(file.ends_with("abc"));
}

TEST_CASE("Every value keeps its bits") {
  using F = std::numeric_limits<float>;
  using D = std::numeric_limits<double>;
  const std::vector<float> floats = {F::quiet_NaN(), -0.0f,          0.0f,
                                     F::infinity(),  -F::infinity(), F::denorm_min(),
                                     -F::min() / 2,  F::max(),       F::epsilon()};
  const std::vector<double> doubles = {D::quiet_NaN(), -0.0, D::infinity(), D::denorm_min(),
                                       D::max()};
  SafeTensors content;
  content.tensors["f"] = from_values<float>(floats, {3, 3});
  content.tensors["d"] = from_values<double>(doubles, {5});
  const SafeTensors loaded = parse(serialise(content));
  const std::vector<float> f = values<float>(loaded, "f");
  const std::vector<double> d = values<double>(loaded, "d");
  REQUIRE(f.size() == floats.size());
  CHECK(std::memcmp(f.data(), floats.data(), sizeof(float) * f.size()) == 0);
  REQUIRE(d.size() == doubles.size());
  CHECK(std::memcmp(d.data(), doubles.data(), sizeof(double) * d.size()) == 0);
}

TEST_CASE("Other types are converted or refused, never reinterpreted") {
  const std::vector<double> doubles = {0.1, -2.5, std::numeric_limits<double>::infinity(), 1e-300};
  const TensorData tensor = from_values<double>(doubles, {4});
  CHECK(to_values<float>(tensor, "w") ==
        std::vector{0.1f, -2.5f, std::numeric_limits<float>::infinity(), 0.0f});
  const std::vector<double> too_large = {1.0, 1e39};
  CHECK_THROWS_MATCHES(to_values<float>(from_values<double>(too_large, {2}), "w"), Error,
                       MessageMatches(ContainsSubstring("\"w\": element 1 is too large")));
  for (const std::string& dtype : {"F16"s, "BF16"s, "I64"s, "I32"s, "U8"s, "BOOL"s}) {
    CHECK_THROWS_MATCHES(to_values<float>({dtype, {0}, ""}, "w"), Error,
                         MessageMatches(ContainsSubstring("\"w\" is \"" + dtype + "\"")));
    CHECK_THROWS_AS(to_values<double>({dtype, {0}, ""}, "w"), Error);
  }
}

TEST_CASE("The writer refuses what the reader would") {
  CHECK_THROWS_AS(serialise({{{"w", {"Q9", {2}, data}}}, {}}), Error);
  CHECK_THROWS_AS(serialise({{{"w", {"F32", {3}, data}}}, {}}), Error);
  CHECK_THROWS_AS(serialise({{{"w", {"F32", {1ull << 32, 1ull << 32}, ""}}}, {}}), Error);
  CHECK_THROWS_AS(serialise({{{"__metadata__", {"F32", {2}, data}}}, {}}), Error);
  CHECK_THROWS_AS(serialise({{{"w\xFF", {"F32", {2}, data}}}, {}}), Error);
  CHECK_THROWS_AS(serialise({{}, {{"key", "\xFF"}}}), Error);
  CHECK_THROWS_AS(from_values<float>(std::vector{1.0f, 2.0f}, {3}), Error);
}

TEST_CASE("Sizes that lie are errors") {
  for (const std::string& file :
       {""s, "\x02\0\0\0\0\0\0"s, little_endian(0), little_endian(1), little_endian(2) + "{",
        little_endian(~0ull) + "{}", little_endian(~0ull - 7) + "{}",
        little_endian(100'000'001) + "{}", little_endian(10) + "{}", little_endian(3) + "{}",
        little_endian(0) + "{}", little_endian(1) + "{}"}) {
    CHECK_THROWS_MATCHES(parse(file), Error, MessageMatches(ContainsSubstring("f: ")));
  }
  CHECK_THROWS_AS(parse(little_endian(100'000'001) + "{}" + std::string(99'999'999, ' ')), Error);
}

TEST_CASE("Headers that are not a header are errors") {
  for (const std::string& header :
       {"[]"s, "7"s, " {}"s, "\xEF\xBB\xBF{}"s, "{"s, "{}}"s, "{} x"s, "{}\0"s, "{\0}"s, "{}\0{}"s,
        "{\"w\xFF\":{}}"s, "{\"w\0\":{}}"s, R"({"w":[]})"s, R"({"w":{}})"s, R"({"w":7})"s,
        R"({"w":null})"s, R"({"w":"text"})"s, R"({"w":1e999})"s, R"({"__metadata__":[]})"s,
        R"({"__metadata__":{"a":1}})"s, R"({"__metadata__":{"a":"1","a":"2"}})"s}) {
    CAPTURE(header.substr(0, 60));
    CHECK_THROWS_MATCHES(parse(file_of(header)), Error, MessageMatches(ContainsSubstring("f: ")));
  }
}

TEST_CASE("Nesting is refused where it begins to be too deep") {
  std::string objects;
  for (int i = 0; i < 10000; ++i) objects += "{\"w\":";
  const std::string open(10000, '['), close(10000, ']');
  for (const std::string& header :
       {objects, "{\"w\":" + open, "{\"w\":" + open + close + "}", R"({"w":{"shape":[[2]]}})"s}) {
    CHECK_THROWS_MATCHES(parse(file_of(header)), Error,
                         MessageMatches(ContainsSubstring("f: JSON nested more than 3 deep")));
  }
}

TEST_CASE("Tensors that lie are errors") {
  const std::string good = R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]})";
  REQUIRE_NOTHROW(parse(one_tensor(good, data)));
  const auto replaced = [&](std::string_view old, std::string_view with) {
    std::string text = good;
    return text.replace(text.find(old), old.size(), with);
  };
  for (const std::string offsets :
       {"[8,0]", "[8,4]", "[-4,4]", "[0.5,4]", "[\"0\",8]", "[0]", "[]", "[0,4,8]", "[0,1e300]",
        "[0,8.0]", "[0,1e1]", "[0,12]", "[4,12]", "[0,18446744073709551615]",
        "[0,18446744073709551616]", "[18446744073709551615,7]", "[0,null]", "[0,[8]]", "8", "{}",
        "[0,4]", "[4,8]", "[-0,8]", "[true,8]"}) {
    CAPTURE(offsets);
    CHECK_THROWS_AS(parse(one_tensor(replaced("[0,8]", offsets), data)), Error);
  }
  for (const std::string shape :
       {"[3]", "[1]", "[-1]", "[-2]", "[2.0]", "[\"2\"]", "2", "[]", "[0]", "[2,2]", "[null]",
        "[[2]]", "[4611686018427387906]", "[4294967296,4294967296]", "[18446744073709551615]",
        "[18446744073709551616]", "[1e300]", "[-18446744073709551614]"}) {
    CAPTURE(shape);
    CHECK_THROWS_AS(parse(one_tensor(replaced("[2]", shape), data)), Error);
  }
  for (const std::string dtype :
       {"\"Q9\"", "\"f32\"", "\"\"", "\"F64\"", "\"F16\"", "32", "null", "[]"}) {
    CAPTURE(dtype);
    CHECK_THROWS_AS(parse(one_tensor(replaced("\"F32\"", dtype), data)), Error);
  }
  for (const std::string& description :
       {R"({"shape":[2],"data_offsets":[0,8]})"s, R"({"dtype":"F32","data_offsets":[0,8]})"s,
        R"({"dtype":"F32","shape":[2]})"s,
        R"({"dtype":"F32","shape":[2],"data_offsets":[0,8],"dtype":"F32"})"s,
        R"({"dtype":"F32","shape":[2],"data_offsets":[0,8],"other":1})"s}) {
    CHECK_THROWS_AS(parse(one_tensor(description, data)), Error);
  }
  CHECK_THROWS_MATCHES(
      parse(one_tensor(R"({"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]})")),
      Error, MessageMatches(ContainsSubstring("out of range")));
  CHECK_THROWS_AS(parse(one_tensor(R"({"dtype":"Q9","shape":[2],"data_offsets":[0,99999]})", data)), Error);
}

TEST_CASE("Data in no tensor or in two, and names given twice, are errors") {
  const auto two = [](const std::string& a, const std::string& b, const std::string& other = "b") {
    return file_of("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":" + a + "},\"" +
                       other + "\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":" + b + "}}",
                   data);
  };
  CHECK(values<float>(parse(two("[0,4]", "[4,8]")), "b") == std::vector{-2.0f});
  CHECK(values<float>(parse(two("[4,8]", "[0,4]")), "b") == std::vector{1.5f});
  CHECK_THROWS_MATCHES(parse(two("[0,4]", "[0,4]")), Error, MessageMatches(ContainsSubstring("two arrays")));
  CHECK_THROWS_AS(parse(two("[0,4]", "[2,6]")), Error);
  CHECK_THROWS_AS(parse(two("[0,4]", "[4,8]", "a")), Error);
  CHECK_THROWS_MATCHES(parse(file_of("{}", data)), Error, MessageMatches(ContainsSubstring("no array")));
  const std::string half = R"({"dtype":"F32","shape":[1],"data_offsets":[)";
  CHECK_THROWS_AS(parse(one_tensor(half + "4,8]}", data)), Error);  // a hole before
  CHECK_THROWS_AS(parse(one_tensor(half + "0,4]}", data)), Error);  // and one behind
}

TEST_CASE("Whatever byte is changed or missing, a file is read or refused") {
  const std::string good = serialise(example());
  REQUIRE_NOTHROW(parse(good));
  int read = 0, refused = 0;
  const auto try_to_read = [&](const std::string& file) {
    try {
      parse(file);
      ++read;
    } catch (const Error&) {
      ++refused;  // anything else fails the test
    }
  };
  for (std::size_t length = 0; length < good.size(); ++length) {
    CHECK_THROWS_AS(parse(good.substr(0, length)), Error);
  }
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string file = good;
      file[i] = static_cast<char>(file[i] ^ (1 << bit));
      try_to_read(file);
    }
    for (char byte : "\0\xFF[]{}\",:09-.e "sv) {
      std::string file = good;
      file[i] = byte;
      try_to_read(file);
      try_to_read(file.insert(i, 1, byte));
    }
  }
  CHECK(read > 0);
  CHECK(refused > 0);
}
