#include "autodiff/inspect.hpp"

#include <algorithm>
#include <set>

namespace hindsight {
namespace {

/// A label in Graphviz's quotes.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return out + "\"";
}

std::string node(const std::string& id, const std::string& label, const std::string& shape, bool dashed) {
  return "  " + id + " [label=" + quoted(label) + ", shape=" + shape + (dashed ? ", style=dashed" : "") + "];\n";
}

std::string id_of(const RecordedOperand& operand) {
  return operand.statement == not_recorded ? "p" + std::to_string(operand.outside)
                                           : "s" + std::to_string(operand.statement);
}

}  // namespace

std::string list(const Recording& recording) {
  constexpr std::size_t widest = 60;  // a longer statement does not push the shapes of the others away
  std::size_t width = 0;
  for (const RecordedStatement& s : recording.statements()) width = std::max(width, std::min(s.text().size(), widest));
  std::string text;
  for (const RecordedStatement& s : recording.statements()) {
    const std::string line = s.text();
    text += line + std::string(width > line.size() ? width - line.size() : 0, ' ') + "   " + s.result.shape() + "\n";
  }
  return text;
}

std::string draw(const Recording& recording) {
  const std::vector<RecordedStatement>& statements = recording.statements();
  std::string nodes, edges;
  std::set<std::string> drawn;
  for (std::size_t i = 0; i < statements.size(); ++i) {
    const RecordedStatement& s = statements[i];
    const std::string id = "s" + std::to_string(i);
    nodes += node(id, s.text() + "\n" + s.result.shape(), s.expression.empty() ? "ellipse" : "box", !s.result.gradient);
    for (const RecordedOperand& operand : s.operands) {
      const std::string from = id_of(operand);
      if (operand.statement == not_recorded && drawn.insert(from).second) {
        const NamedTensor& tensor = recording.outside()[operand.outside];
        nodes += node(from, tensor.name + (tensor.extents.empty() ? "" : "\n" + tensor.shape()), "cylinder", false);
      }
      if (drawn.insert(from + " -> " + id).second) edges += "  " + from + " -> " + id + ";\n";
    }
  }
  return "digraph tape {\n  node [fontname=\"monospace\", fontsize=11];\n" + nodes + edges + "}\n";
}

}  // namespace hindsight
