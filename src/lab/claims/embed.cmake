# cmake -DINPUT=file.csv -DOUTPUT=file.cpp -DNAME=symbol -P embed.cmake
# Turns a text file into a C++ string constant, so that an installed tool needs no data files.
file(READ "${INPUT}" text)
file(WRITE "${OUTPUT}"
  "// Made by CMake from a data file.\n"
  "#include <string_view>\n\n"
  "namespace mallard::lab {\n\n"
  "extern const std::string_view ${NAME};\n"
  "const std::string_view ${NAME} = R\"~~~(${text})~~~\";\n\n"
  "}  // namespace mallard::lab\n")
