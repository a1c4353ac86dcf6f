/** A package in a folder that tools can write to: a call that drops one there must not have it run. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { until } from "../bundles/bundles-for-tests.ts";
import { write } from "../skills/skills-for-tests.ts";
import { makePackagesPlace, SKILL_MD, stateOf, type Json } from "./packages-place-for-tests.ts";

const FILES = { "tools.yaml": "tools: [say]\n", "scripts/say.sh": `cat >/dev/null; echo '"said"'\n` };

it("is held in a skill directory that a root covers, at the start and later, until a person takes it", async () => {
  const roots = { list: [{ name: "all", path: "." }] };
  const place = makePackagesPlace({ skillDirs: ["./skills"], capabilities: { roots } });
  const drop = (name: string): void => write(join(place.dir, "skills", name), { ...FILES, "SKILL.md": SKILL_MD(name) });
  drop("early");
  const host = await place.start();
  const call = async (name: string): Promise<Json> =>
    (await host.rest("POST", "/v1/tools/call", { name, arguments: {} })).json as Json;
  const isListed = (name: string): boolean => host.tools().some((tool) => tool.name === name);
  for (const name of ["early", "late"]) {
    if (name === "late") drop("late");
    await until(() => isListed(`${name}__say`));
    expect(JSON.stringify(await call(`${name}__say`))).toContain("definition_new");
    const { digest, ...seen } = await stateOf(host, name);
    expect(seen).toMatchObject({ state: "held", accepted: null });
    expect(seen["reason"]).toMatch(/^It lies where tools can write files/);
    expect((await host.rest("POST", `/v1/skills/${name}/accept`, { digest })).status).toBe(200);
    expect(JSON.stringify(await call(`${name}__say`))).toContain("said");
  }
});
