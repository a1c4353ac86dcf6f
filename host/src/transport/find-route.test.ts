import { describe, expect, it } from "vitest";
import { findRoute } from "./find-route.ts";
import { ok, type RestRoutes } from "./rest-route.ts";

const KEYS = [
  "GET /v1/apps",
  "DELETE /v1/keys/*",
  "POST /v1/apps/*/start",
  "GET /v1/apps/*/logs",
  "GET /v1/apps/*/resources/**",
];
/** Which of them it is. */
const keys = new Map<unknown, string>();
const routes: RestRoutes = new Map(
  KEYS.map((key) => {
    const run = () => ok(key);
    keys.set(run, key);
    return [key, { run }];
  }),
);

const find = (method: string, path: string): [string, string] | null => {
  const found = findRoute(routes, method, path);
  return found && [keys.get(found.run) ?? "", found.argument];
};

describe("a path", () => {
  it.each([
    ["GET", "/v1/apps", "GET /v1/apps", ""],
    ["DELETE", "/v1/keys/laptop", "DELETE /v1/keys/*", "laptop"],
    ["POST", "/v1/apps/files/start", "POST /v1/apps/*/start", "files"],
    ["GET", "/v1/apps/start/logs", "GET /v1/apps/*/logs", "start"],
    ["POST", "/v1/apps/a%2Fb/start", "POST /v1/apps/*/start", "a/b"],
    ["POST", "/v1/apps/%zz/start", "POST /v1/apps/*/start", "%zz"],
    ["POST", "/v1/apps/*/start", "POST /v1/apps/*/start", "*"],
    ["DELETE", "/v1/keys/*", "DELETE /v1/keys/*", "*"],
  ])("%s %s means %s of %j", (method, path, key, argument) => {
    expect(find(method, path)).toEqual([key, argument]);
  });

  it.each([
    ["/v1/apps/p/resources/primary", "p", "primary"],
    ["/v1/apps/a%2Fb/resources/ui%3A%2F%2Fa%2Fb%3Fc", "a/b", "ui://a/b?c"],
    ["/v1/apps/p/resources/ui://p/main", "p", "ui://p/main"],
    ["/v1/apps/p/resources/a%2520b", "p", "a%20b"],
    ["/v1/apps/p/resources/%zz/", "p", "%zz/"],
    ["/v1/apps/*/resources/**", "*", "**"],
    ["/v1/apps/p/resources/../logs", "p", "../logs"],
  ])("%s has the rest of an open end", (path, argument, rest) => {
    expect(find("GET", path)).toEqual(["GET /v1/apps/*/resources/**", argument]);
    expect(findRoute(routes, "GET", path)?.rest).toBe(rest);
  });

  it.each([
    ["POST", "/v1/apps"],
    ["GET", "/v1/apps/p/resources"],
    ["GET", "/v1/apps/p/resources/"],
    ["GET", "/v1/apps//resources/x"],
    ["GET", "/v1/keys/p/resources/x"],
    ["POST", "/v1/apps/p/resources/x"],
    ["GET", "/v1/apps/"],
    ["DELETE", "/v1/keys/"],
    ["DELETE", "/v1/keys/a/b"],
    ["POST", "/v1/apps//start"],
    ["POST", "/v1/apps/start"],
    ["POST", "/v1/apps/a/b/start"],
    ["GET", "/v1/apps/a/start"],
    ["GET", "/"],
    ["GET", ""],
    ["GET", "*"],
  ])("%s %j means none", (method, path) => {
    expect(find(method, path)).toBeNull();
  });
});
