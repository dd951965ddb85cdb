// Runs a function again with some values replaced while one of its statements computes.
#pragma once

#include <optional>
#include <span>

#include "autodiff/gradcheck.hpp"
#include "autodiff/recording.hpp"

namespace hindsight::detail {

/// Where an operand's values are: in the result of a statement, or in a parameter, from an offset on; of a gate in
/// rows.
struct Place {
  std::size_t statement = not_recorded, subject = not_recorded;
  std::size_t offset = 0;
  std::size_t row = 0, stride = 0;  // how long a row is, and how far it is to the next; 0: all is one row
  bool operator==(const Place&) const = default;

  /// Element i of the operand in what it is a part of.
  std::size_t at(std::size_t i) const { return offset + (row == 0 ? i : i / row * stride + i % row); }
};

struct Replaced {
  Place place;
  std::span<const double> values;
};

/// Runs f, with values replaced while one statement computes.
class Rerun final : public Watcher {
 public:
  Rerun(CheckedFunction& f, Tape& tape) : f_(f), tape_(tape) {}

  /// Records f as it is.
  const std::vector<Entry*>& record() {
    run(not_recorded, {});
    return entries_;
  }

  /// What statement `number` computes with some values replaced.
  std::vector<double> result(std::size_t number, std::span<const Replaced> replaced) {
    run(number, replaced);
    return result_;
  }

 private:
  void run(std::size_t number, std::span<const Replaced> replaced) {
    number_ = number;
    replaced_ = replaced;
    entries_.clear();
    tape_.reset();
    tape_.watch(this);
    if (number_ == 0) replace();
    try {
      f_.run();
    } catch (...) {
      put_back();
      throw;
    }
    tape_.watch(nullptr);
  }

  void recorded(Entry& entry) override {
    entries_.push_back(&entry);
    if (entries_.size() == number_) replace();
    if (entries_.size() != number_ + 1) return;
    const double* value = static_cast<const double*>(entry.value);
    result_.assign(value, value + entry.value_bytes / sizeof(double));
    put_back();
  }

  void replace() {
    for (const auto& [place, values] : replaced_) {
      const double* whole = whole_at(place);
      std::vector<double>& old = before_.emplace_back();
      for (std::size_t i = 0; i < values.size(); ++i) old.push_back(whole[place.at(i)]);
      write(place, values);
    }
  }
  void put_back() {
    for (std::size_t i = before_.size(); i-- > 0;) write(replaced_[i].place, before_[i]);
    before_.clear();
  }

  double* whole_at(const Place& place) const {
    return place.subject != not_recorded ? f_.subjects[place.subject].values
                                         : static_cast<double*>(entries_[place.statement]->value);
  }
  /// A parameter is edited, so that what was packed of it is packed anew.
  void write(const Place& place, std::span<const double> values) const {
    std::optional<Edit<double>> edit;
    if (place.subject != not_recorded) edit.emplace(*f_.subjects[place.subject].parameter);
    double* whole = whole_at(place);
    for (std::size_t i = 0; i < values.size(); ++i) whole[place.at(i)] = values[i];
  }

  CheckedFunction& f_;
  Tape& tape_;
  std::size_t number_ = not_recorded;
  std::span<const Replaced> replaced_;
  std::vector<std::vector<double>> before_;
  std::vector<Entry*> entries_;
  std::vector<double> result_;
};

}  // namespace hindsight::detail
