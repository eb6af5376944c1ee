#include "profile/import/line_source.hpp"

namespace mallard::profile {

bool line_source::next(std::string& line) {
  for (std::size_t from = at_;;) {
    const std::size_t end = buffer_.find('\n', from);
    if (end != buffer_.npos) {
      line.assign(buffer_, at_, end - at_);
      at_ = end + 1;
      ++number_;
      return true;
    }
    buffer_.erase(0, at_);
    at_ = 0;
    from = buffer_.size();
    if (!input_.append(buffer_)) break;
  }
  // A last line without an end counts only if the file is complete.
  if (buffer_.empty() || damaged()) return false;
  line.swap(buffer_);
  buffer_.clear();
  ++number_;
  return true;
}

}  // namespace mallard::profile
