// Runs the command as a user does, in a folder of the test's own.
#pragma once

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "support/read_file.hpp"
#include "support/scratch_path.hpp"

namespace mallard {

namespace fs = std::filesystem;

using mallard_test::read_file;
using words = std::vector<std::string>;

inline words operator+(words first, const words& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

struct ended {
  int status;  // as a shell says it: 128 and the number of the signal that ended it
  std::string out;
  std::string err;
};

// Each test has a folder of its own and runs the command in it.
class command_test : public testing::Test {
 protected:
  fs::path file(const std::string& name) const { return folder_ / name; }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(file(name), std::ios::binary) << text;
  }
  void write_script(const std::string& name, const std::string& text) const {
    write(name, "#!/bin/sh\n" + text);
    fs::permissions(file(name), fs::perms::owner_all);
  }
  void record(const std::string& name, const words& command) const {
    ASSERT_EQ(run(words{"record", "--no-cpu", "-q", "-o", name, "--"} + command).status, 0);
  }

  pid_t start(const words& call) const { return execute(MALLARD_COMMAND, words{"mallard"} + call); }

  ended finish(pid_t child) const {
    int status = 0;
    waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            read_file(file("stdout")), read_file(file("stderr"))};
  }

  ended run(const words& call) const { return finish(start(call)); }
  // Only the command's own process gets the signal, once the file is there.
  ended interrupt(const words& call, const std::string& once, int signal = SIGINT) const {
    const pid_t child = start(call);
    while (!fs::exists(file(once))) usleep(1000);
    kill(child, signal);
    return finish(child);
  }
  // A program that goes on below a script, which goes on behind it, and the file that then is
  // there.
  void write_program_below_a_script() const {
    write_script("below", "echo $$ >writing && mv writing pid\nwhile :; do sleep 0.05; done\n");
    write_script("script", "./below\ntrue\n");
  }
  bool runs(const std::string& pid_file) const {
    return kill(static_cast<pid_t>(std::stol(read_file(file(pid_file)))), 0) == 0;
  }
  // A line in which $MALLARD is the command, in a process group that survives these signals. The
  // line has no single quotes.
  ended in_group(const std::string& signals, const std::string& line) const {
    return shell("setsid -w sh -c 'for each in " + signals + "; do trap : $each; done; " + line +
                 "'");
  }
  // A script that sends its whole group signals that it handles itself, and returns them.
  std::string write_group_signaller() const {
    std::string all;
    for (const int each : {SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGIO, SIGPWR, SIGRTMIN,
                           SIGRTMIN + 1, SIGRTMAX}) {
      all += ' ' + std::to_string(each);
    }
    write_script("script",
                 "for each in" + all + "; do trap : $each; kill -$each 0; done\nexit 5\n");
    return all;
  }
  // A line in which $MALLARD is the command.
  ended shell(const std::string& line) const {
    return finish(execute("/bin/sh", {"sh", "-c", line}));
  }

  // Bad input: nothing on stdout, one line on stderr, the status. On a busy machine lines before it
  // may say what is under way.
  void expect_refused(const words& call, int status, const std::string& message) const {
    const ended result = run(call);
    const std::string all = testing::PrintToString(call);
    EXPECT_EQ(result.status, status) << all;
    EXPECT_EQ(result.out, "") << all;
    EXPECT_THAT(result.err, testing::StartsWith("mallard: ")) << all;
    EXPECT_THAT(result.err, testing::HasSubstr(message)) << all;
    const std::regex under_way("mallard: [^:\n]+: [0-9]+ s(, at most [0-9]+ s)?\n");
    const std::string told = std::regex_replace(result.err, under_way, "");
    EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 1) << all << result.err;
  }

  const scratch_folder folder_;

 private:
  pid_t execute(const char* program, const words& call) const {
    const pid_t child = fork();
    if (child != 0) return child;
    const auto redirect = [&](const char* name, int to) {
      dup2(open(file(name).c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600), to);
    };
    redirect("stdout", STDOUT_FILENO);
    redirect("stderr", STDERR_FILENO);
    if (chdir(folder_.path().c_str()) != 0) _exit(126);
    setenv("MALLARD", MALLARD_COMMAND, 1);
    std::vector<char*> arguments;
    for (const auto& word : call) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execv(program, arguments.data());
    _exit(127);
  }
};

}  // namespace mallard
