// Text as UTF-8: reading a file, and cutting it into lines, words and characters.
//
// Text is compared byte by byte and never normalised: U+00E9 (one code point) and "e" followed by
// U+0301 (two) look alike and are different text, in training, decoding and scoring alike. Who
// wants them equal normalises the file first, for example with `uconv -x nfc`.
#pragma once

#include <concepts>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace hindsight {

/// Throws Error at the first byte of `bytes` that begins no valid UTF-8 sequence (overlong forms,
/// surrogates, values above U+10FFFF and cut-off sequences are invalid). The message begins with
/// `where` and gives the line (from 1), the byte's offset (from 0) and its value.
void check_utf8(std::string_view bytes, const std::string& where);

/// The text of the file at `path`, with a byte order mark at the start dropped and the line ends
/// CR LF and CR turned into LF. A NUL is a character like any other.
///
/// Throws Error when the file cannot be read, is empty, or is not UTF-8 (see `check_utf8`).
std::string read_text(const std::string& path);

/// The lines of `text`, without their ends. Only LF ends a line (U+2028, U+0085, VT, FF and the
/// like do not); the last line needs no LF; empty lines keep their place; "" has no lines.
/// The pieces point into `text`.
std::vector<std::string_view> lines(std::string_view text);

/// The words of `line`: what stands between spaces and tabs. The pieces point into `line`.
std::vector<std::string_view> words(std::string_view line);

/// A range over the characters (code points) of a text, each the bytes that spell it:
///
///     for (std::string_view c : characters(text)) ...
class Characters {
 public:
  class Iterator {
   public:
    using value_type = std::string_view;
    using difference_type = std::ptrdiff_t;

    Iterator() = default;
    explicit Iterator(std::string_view rest) : rest_(rest) { find_length(); }

    std::string_view operator*() const { return rest_.substr(0, length_); }
    Iterator& operator++() {
      rest_.remove_prefix(length_);
      find_length();
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    /// Whether both have the same number of bytes to go; meant for iterators of one text.
    bool operator==(const Iterator& other) const { return rest_.size() == other.rest_.size(); }

   private:
    void find_length();

    std::string_view rest_;   // from the current character to the end
    std::size_t length_ = 0;  // of the current character, in bytes
  };

  explicit Characters(std::string_view text) : text_(text) { check_utf8(text, "text"); }

  Iterator begin() const { return Iterator(text_); }
  Iterator end() const { return Iterator(text_.substr(text_.size())); }

 private:
  std::string_view text_;
};

/// The characters of `text`, which must outlive them. Throws Error when `text` is not UTF-8.
inline Characters characters(std::string_view text) { return Characters(text); }

// The pieces of a temporary string would dangle: give it a name first.
template <std::same_as<std::string> Temporary>
void lines(Temporary&&) = delete;
template <std::same_as<std::string> Temporary>
void words(Temporary&&) = delete;
template <std::same_as<std::string> Temporary>
void characters(Temporary&&) = delete;

}  // namespace hindsight
