// Purpose: the figures of malloc as text, as JSON, as XML and as OpenMetrics.
#pragma once

#include "malloc/text_out.hpp"

namespace mallard::inline v1::detail {

void write_stats_text(text_out& out, bool all) noexcept;  // `all`: a line for every size class
void write_stats_json(text_out& out) noexcept;
void write_stats_xml(text_out& out) noexcept;
void write_stats_openmetrics(text_out& out) noexcept;

}  // namespace mallard::inline v1::detail
