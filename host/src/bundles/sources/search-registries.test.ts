/** Searching over registries of all kinds, some of which are not well. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeWorkDir } from "../bundles-for-tests.ts";
import { makeArchive } from "./archive-for-tests.ts";
import { makeSources, sendJson, startRegistry } from "./sources-for-tests.ts";

test("every registry is asked in its own words, and one that is not well is named beside what the others found", async () => {
  const dir = makeWorkDir();
  writeFileSync(join(dir, "a.mcpb"), await makeArchive("@acme/echo", "1.0.0"));
  const mpak = await startRegistry((_request, response) =>
    sendJson(response, {
      bundles: [
        {
          name: "@acme/echo",
          latest_version: "2.0.0",
          description: "Says\u001b[31m it",
          tools: [{ name: "say" }],
          certification_level: 3,
        },
        { name: "@acme/echo-two", latest_version: "0.1.0", trust_score: 55 },
        { nameless: true },
        "nonsense",
      ],
    }),
  );
  const versions = ["1.0.0", "1.10.0", "1.9.0"].map((version) => ({ server: { name: "io.acme/echo", version } }));
  const mcp = await startRegistry((_request, response, url) =>
    sendJson(
      response,
      url.searchParams.has("cursor")
        ? { servers: [{ server: { name: "io.acme/echo-too", version: "1.0.0" } }], metadata: {} }
        : { servers: versions, metadata: { nextCursor: "next page" } },
    ),
  );
  const broken = await startRegistry((_request, response) => sendJson(response, {}, 500));
  const silent = await startRegistry(() => {});
  const { search } = makeSources(dir, {
    limits: { answerMs: 800 },
    registries: [
      { type: "mpak", url: mpak.url },
      { type: "mpak", url: broken.url },
      { type: "mcp", url: mcp.url },
      { type: "mcp", url: silent.url },
      { type: "mcp", url: "http://127.0.0.1:9" },
      { type: "mpak", url: "http://169.254.169.254" },
      { type: "dir", path: dir },
      { type: "dir", path: "nowhere" },
    ],
  });
  const { bundles, unreachable } = await search("echo & more", 10);
  expect(mpak.asked).toEqual(["/v1/bundles/search?q=echo+%26+more&limit=10&offset=0"]);
  expect(mcp.asked).toEqual([
    "/v0.1/servers?search=echo+%26+more&limit=10",
    "/v0.1/servers?search=echo+%26+more&limit=10&cursor=next+page",
  ]);
  expect(bundles).toEqual([
    {
      name: "@acme/echo",
      version: "2.0.0",
      description: "Says [31m it",
      registry: `mpak ${mpak.url}`,
      trustScore: null,
      certificationLevel: "3",
      tools: ["say"],
    },
    expect.objectContaining({ name: "io.acme/echo", version: "1.10.0", registry: `mcp ${mcp.url}` }),
    expect.objectContaining({ name: "@acme/echo-two", trustScore: 55, certificationLevel: null }),
    expect.objectContaining({ name: "io.acme/echo-too" }),
  ]);
  expect(unreachable).toEqual([
    { registry: `mpak ${broken.url}`, reason: "it answered with HTTP status 500" },
    { registry: `mcp ${silent.url}`, reason: "it did not answer within 800 ms" },
    { registry: "mcp http://127.0.0.1:9", reason: "ECONNREFUSED" },
    { registry: "mpak http://169.254.169.254", reason: expect.stringContaining("cloud metadata address") },
    { registry: `dir ${join(dir, "nowhere")}`, reason: "ENOENT" },
  ]);
});

test("no more than asked for comes back, and every registry has its turn", async () => {
  const many = (prefix: string): unknown => ({
    bundles: Array.from({ length: 500 }, (_, index) => ({ name: `${prefix}${index}`, latest_version: "1.0.0" })),
  });
  const first = await startRegistry((_request, response) => sendJson(response, many("a")));
  const second = await startRegistry((_request, response) => sendJson(response, many("b")));
  const registries = [first, second].map(({ url }) => ({ type: "mpak" as const, url }));
  const { search } = makeSources(makeWorkDir(), { registries });
  expect((await search("", 5)).bundles.map(({ name }) => name)).toEqual(["a0", "b0", "a1", "b1", "a2"]);
  expect((await search("", 1_000)).bundles).toHaveLength(100);
  expect((await search("", -3)).bundles).toHaveLength(1);
});
