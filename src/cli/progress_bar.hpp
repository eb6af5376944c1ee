// Progress of a bench, on standard error, when that is a terminal.
#pragma once

#include <string>

#include "lab/measuring/pace.hpp"

namespace mallard::cli {

// "[=====>    ]  52 %  DS6  1:05 left", to be drawn over itself.
std::string progress_line(const lab::progress& now);

class progress_bar {
 public:
  progress_bar();
  ~progress_bar();  // wipes the line
  progress_bar(const progress_bar&) = delete;
  progress_bar& operator=(const progress_bar&) = delete;

  void show(const lab::progress& now);

 private:
  bool visible_;
};

}  // namespace mallard::cli
