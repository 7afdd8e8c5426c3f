// SPDX-License-Identifier: Apache-2.0
// JSON schemas that are made from what readers read.
#include "base/config/json_schema.h"

#include "base/config/config.h"
#include "base/config/key_meanings.h"
#include "sim/api/schemas.h"
#include "tests/catch2.h"

using namespace gpuloom;
using Json = nlohmann::ordered_json;

TEST_CASE("A schema has the names, kinds, units and ranges that readers asked for", "[config][schema]") {
  const Config config = Config::parse(
      "size: 4KiB\nways: 2\nkind: lru\nname: x\nlist: [1, 2]\nrows: {a: {n: 1}, b: {n: 2}}\nright: true\n",
      "t.yaml");
  const ConfigView root = config.root();
  root.size_bytes("size");
  root.count("ways", 1, 64);
  root.one_of("kind", {"lru", "fifo"});
  root.text("name");
  root.integers("list", 0, 9);
  root.boolean("right");
  for (const auto& [name, row] : root.children("rows")) row.number("n", 0, 1);
  const Json schema = json_schema(keys_read(config), KeyMeanings());
  const Json& p = schema["properties"];
  CHECK(schema["additionalProperties"] == false);
  CHECK(p["ways"]["minimum"] == 1);
  CHECK(p["ways"]["maximum"] == 64);
  CHECK(p["size"]["type"] == "string");
  CHECK(p["size"]["pattern"].get<std::string>().find("KiB") != std::string::npos);
  CHECK(p["kind"]["enum"] == Json::array({"lru", "fifo"}));
  CHECK(p["list"]["items"]["maximum"] == 9);
  CHECK(p["rows"]["additionalProperties"]["properties"]["n"]["maximum"] == 1);
  CHECK(p["right"]["type"] == "boolean");
}

TEST_CASE("The examples of launch files have every key that the reader knows", "[config][schema]") {
  CHECK(sim::launch_keys_without_example() == std::vector<std::string>());
}

TEST_CASE("The schema of configurations has policies by name or shared object, and their groups",
          "[config][schema]") {
  const Json schema = Json::parse(sim::schema_text("config"));
  const Json& l2 = schema["properties"]["l2"]["properties"];
  CHECK(l2["replacement"]["anyOf"][1]["pattern"] == "\\.so$");
  CHECK(l2["srrip"]["properties"]["bits"]["maximum"] == 8);
  CHECK(l2["ways"]["description"].get<std::string>().find("ways of a set") != std::string::npos);
  CHECK(schema["properties"]["extends"]["type"] == "string");
}
