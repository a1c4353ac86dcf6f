/** Paths of the host's own file, in workspaces whose files lie elsewhere. */
import { parseConfig } from "@bailiwick/contract";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { makeArchive } from "../bundles/sources/archive-for-tests.ts";
import { absolutePaths } from "./absolute-paths.ts";
import { makePlace } from "./whole-host-for-tests.ts";

const LAB = { "x-workspace-id": "ws_lab" };

test("a directory of archives beside the host's file serves the other workspaces too", async () => {
  const place = makePlace();
  mkdirSync(join(place.dir, "shelf"));
  writeFileSync(join(place.dir, "shelf", "echo.mcpb"), await makeArchive("@acme/echo", "1.0.0"));
  place.configure({ bundles: [], registries: [{ type: "dir", path: "shelf" }] });
  const file = join(place.workDir, "workspaces", "ws_lab", "workspace.json");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ members: [], noDefaultBundles: true }));
  const host = await place.start();
  const answer = await host.rest("POST", "/v1/apps/install", { name: "@acme/echo" }, LAB);
  expect(answer).toMatchObject({ status: 201, json: { name: "echo" } });
});

test("what the host's file says of the sandbox and of registries is absolute for other workspaces", () => {
  const registries = [
    { type: "dir", path: "~/shelf" },
    { type: "dir", path: "/srv" },
    { type: "mpak", url: "https://a.example" },
  ];
  const sandbox = { profile: "bwrap", read: ["shared", "~"], write: ["../out"] };
  const { config } = parseConfig(JSON.stringify({ registries, sandbox }), { dialect: "bailiwick" });
  expect(config && absolutePaths(config, { baseDir: "/etc/host", home: "/home/me" })).toMatchObject({
    registries: [{ path: "/home/me/shelf" }, { path: "/srv" }, { type: "mpak", url: "https://a.example" }],
    sandbox: { profile: "bwrap", read: ["/etc/host/shared", "/home/me"], write: ["/etc/out"] },
  });
});
