import { parseConfig } from "@bailiwick/contract";
import { expect, it } from "vitest";
import { checkAuth } from "./check-auth.ts";
import { ConfigError } from "./config-error.ts";
import { makePlace } from "./whole-host-for-tests.ts";

const configOf = (auth: object) => parseConfig(JSON.stringify({ auth }), { dialect: "bailiwick" }).config!;
const LINES = ["runner:${env:RUNNER_KEY}", "other:${env:OTHER_KEY}"];

it("keys of CHP come from the environment, and a principal may be named as one of them", () => {
  const config = configOf({ chpKeys: ["${env:WHOLE}", ...LINES], principals: { whole: {}, "service:runner": {} } });
  const env = { WHOLE: "whole:a:x__*", RUNNER_KEY: "b", OTHER_KEY: "c" };
  const keys = checkAuth(config, { env, hosts: ["0.0.0.0"] });
  expect(keys.map(({ name, key }) => `${name} ${key}`)).toEqual(["whole a", "runner b", "other c"]);
});

it.each<[string, Record<string, string>]>([
  ["RUNNER_KEY is not set", { OTHER_KEY: "c" }],
  ["RUNNER_KEY holds has a colon", { RUNNER_KEY: "ab:s3cret", OTHER_KEY: "c" }],
  ["other (OTHER_KEY) has the same key as runner (RUNNER_KEY)", { RUNNER_KEY: "s3cret", OTHER_KEY: "s3cret" }],
])("a host does not start when %s, and says no secret", (said, env) => {
  const check = (): unknown => checkAuth(configOf({ chpKeys: LINES }), { env, hosts: ["127.0.0.1"] });
  expect(check).toThrow(ConfigError);
  expect(check).toThrow(said);
  expect(check).not.toThrow("s3cret");
});

it("a host that lacks a variable says which when it starts", async () => {
  const place = makePlace();
  place.configure({ auth: { chpKeys: ["runner:${env:BAILIWICK_TEST_UNSET}"] } });
  await expect(place.start()).rejects.toThrow(
    "/auth/chpKeys/0: the environment variable BAILIWICK_TEST_UNSET is not set",
  );
});
