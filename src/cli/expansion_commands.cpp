// mallard bench expand-forward, expand-backward, shrink
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/commands.hpp"
#include "cli/extended_options.hpp"
#include "cli/lists.hpp"
#include "cli/series_run.hpp"
#include "cli/usage_error.hpp"

namespace mallard::cli {
namespace {

struct expansion_options {
  std::optional<std::string> sizes;
  std::string types = "int";
  std::string forms = "all";
  extended_options common;
};

// The article's, and a few large ones.
constexpr const char* usual_sizes = "10^7x10,10^6x100,10^5x1000,10^4x10^4,10x10^7";
constexpr const char* quick_sizes = "10^5x10,10^4x100,1000x1000,100x10^4,1x10^6";
// Smaller arrays, with all those beside them, than the cache holds.
constexpr const char* usual_among = "10x10^5";
constexpr const char* quick_among = "1x10^5";
constexpr const char* usual_shrink = "100x10^4,1000x2000,10^4x500";
constexpr const char* quick_shrink = "2x10^4,20x2000,200x500";

std::vector<lab::growth_form> parse_forms(std::string_view text) {
  return parse_choices("--form", text, {lab::growth_form::alone, lab::growth_form::among},
                       [](lab::growth_form one) { return lab::to_string(one); });
}

bool has(const std::vector<lab::growth_form>& forms, lab::growth_form one) {
  return std::find(forms.begin(), forms.end(), one) != forms.end();
}

series_request forward_request(const expansion_options& options) {
  const bool small = options.common.quick;
  const std::string alone = options.sizes.value_or(small ? quick_sizes : usual_sizes);
  const std::string among = options.sizes.value_or(small ? quick_among : usual_among);
  const auto forms = parse_forms(options.forms);
  lab::growth_sizes sizes;
  if (has(forms, lab::growth_form::alone)) sizes.alone = parse_repeated_sizes("--sizes", alone);
  if (has(forms, lab::growth_form::among)) sizes.among = parse_repeated_sizes("--sizes", among);
  sizes.types = parse_types(options.types);

  series_request request;
  request.bench = "expand-forward";
  request.plan = lab::plan_expand_forward(
      sizes, make_extended_conditions(options.common, [](const lab::series_column& column) {
        return lab::find_growth_kernel(column, lab::element_type::pod64, lab::growth_form::alone) !=
               nullptr;
      }));
  request.parameters = {{"sizes", alone}, {"type", options.types}, {"form", options.forms}};
  if (!options.sizes) request.parameters["among"] = among;
  return request;
}

series_request backward_request(const expansion_options& options) {
  const std::string text = options.sizes.value_or(options.common.quick ? quick_sizes : usual_sizes);
  lab::growth_sizes sizes;
  sizes.alone = parse_repeated_sizes("--sizes", text);
  sizes.types = parse_types(options.types);

  series_request request;
  request.bench = "expand-backward";
  request.plan = lab::plan_expand_backward(
      sizes, make_extended_conditions(options.common, [](const lab::series_column& column) {
        return lab::find_growth_kernel(column, lab::element_type::pod64,
                                       lab::growth_form::backward) != nullptr;
      }));
  request.parameters = {{"sizes", text}, {"type", options.types}};
  return request;
}

series_request shrink_request(const expansion_options& options) {
  const std::string text =
      options.sizes.value_or(options.common.quick ? quick_shrink : usual_shrink);
  lab::shrink_sizes sizes;
  sizes.vectors = parse_repeated_sizes("--sizes", text);
  sizes.types = parse_types(options.types);

  series_request request;
  request.bench = "shrink";
  request.plan = lab::plan_shrink(
      sizes, make_extended_conditions(options.common, [](const lab::series_column& column) {
        return lab::find_shrink_kernel(column) != nullptr;
      }));
  request.parameters = {{"sizes", text}, {"type", options.types}};
  return request;
}

CLI::App* add_command(CLI::App& bench, const char* name, const char* what, const char* sizes,
                      expansion_options& options) {
  CLI::App* command = bench.add_subcommand(name, what);
  command->add_option("--sizes", options.sizes,
                      fmt::format("Containers x elements (default: {})", sizes));
  command->add_option("--type", options.types, "Elements: int, pod64, string (default: int)");
  add_extended_options(*command, options.common);
  return command;
}

}  // namespace

void add_expansion_commands(CLI::App& bench, context& shared) {
  const auto forward = std::make_shared<expansion_options>();
  CLI::App* command =
      add_command(bench, "expand-forward", "Vectors that are filled: who grows where it is",
                  usual_sizes, *forward);
  command->add_option("--form", forward->forms,
                      "alone: one vector grows, among: 101 do, in turn (default: all)");
  run_when_chosen(*command, shared, forward, forward_request);

  const auto backward = std::make_shared<expansion_options>();
  command = add_command(bench, "expand-backward",
                        "Vectors that are filled, with room in front of them only", usual_sizes,
                        *backward);
  run_when_chosen(*command, shared, backward, backward_request);

  const auto shrink = std::make_shared<expansion_options>();
  command = add_command(bench, "shrink", "Vectors that give back what they no longer need",
                        usual_shrink, *shrink);
  run_when_chosen(*command, shared, shrink, shrink_request);
}

}  // namespace mallard::cli
