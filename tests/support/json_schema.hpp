// Holds a JSON value against a JSON Schema, as far as docs/schema.json needs one: $ref, type,
// const, enum, properties, required, additionalProperties and items.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace mallard {

class json_schema {
 public:
  explicit json_schema(nlohmann::json whole) : whole_(std::move(whole)) {}

  // The value's faults, a line each with the place: "/total: has no member bytes".
  std::vector<std::string> complaints(const std::string& definition,
                                      const nlohmann::json& value) const {
    std::vector<std::string> out;
    hold(whole_.at("$defs").at(definition), value, "", out);
    return out;
  }

 private:
  using json = nlohmann::json;

  static bool is_of(const std::string& type, const json& value) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    return type == "null" && value.is_null();
  }

  static bool has_type(const json& types, const json& value) {
    if (types.is_string()) return is_of(types.get<std::string>(), value);
    for (const json& one : types) {
      if (is_of(one.get<std::string>(), value)) return true;
    }
    return false;
  }

  void hold(const json& schema, const json& value, const std::string& at,
            std::vector<std::string>& out) const {
    if (schema.contains("$ref")) {
      const std::string path = schema["$ref"].get<std::string>().substr(1);
      hold(whole_.at(json::json_pointer(path)), value, at, out);
      return;
    }
    if (schema.contains("type") && !has_type(schema["type"], value)) {
      out.push_back(at + ": is no " + schema["type"].dump() + ": " + value.dump().substr(0, 60));
      return;
    }
    if (schema.contains("const") && schema["const"] != value) {
      out.push_back(at + ": is not " + schema["const"].dump());
    }
    if (schema.contains("enum")) {
      bool known = false;
      for (const json& one : schema["enum"]) known = known || one == value;
      if (!known) out.push_back(at + ": is none of " + schema["enum"].dump());
    }
    if (value.is_object()) hold_members(schema, value, at, out);
    if (value.is_array() && schema.contains("items")) {
      std::size_t i = 0;
      for (const json& one : value) {
        hold(schema["items"], one, at + "/" + std::to_string(i++), out);
      }
    }
  }

  void hold_members(const json& schema, const json& value, const std::string& at,
                    std::vector<std::string>& out) const {
    for (const json& name : schema.value("required", json::array())) {
      if (!value.contains(name.get<std::string>())) {
        out.push_back(at + ": has no member " + name.get<std::string>());
      }
    }
    const json known = schema.value("properties", json::object());
    for (const auto& [name, member] : value.items()) {
      if (known.contains(name)) {
        hold(known[name], member, at + "/" + name, out);
        continue;
      }
      const json others = schema.value("additionalProperties", json(true));
      if (others == json(false)) {
        out.push_back(at + ": has a member that is not documented: " + name);
      } else if (others.is_object()) {
        hold(others, member, at + "/" + name, out);
      }
    }
  }

  json whole_;
};

}  // namespace mallard
