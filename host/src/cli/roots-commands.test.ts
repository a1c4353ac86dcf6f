/** Roots at the terminal, on this machine's files and on the host that runs. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { closeHouse, openHouse } from "./doors-for-tests.ts";
import { makeRootedCli, type RootedCli } from "./roots-cli-for-tests.ts";

const projectOf = (cli: RootedCli): string => join(cli.workDir, "workspaces/ws_default/project");

/** All of it with a host that runs and with none. */
const both = async (cli: RootedCli, work: () => Promise<void>): Promise<void> => {
  await work();
  const house = await openHouse(cli, "ops");
  await work();
  await closeHouse(house);
};

describe("bailiwick roots", { timeout: 60_000 }, () => {
  it("list shows each root with its state, resolve what a path means, with or without a host that runs", async () => {
    const cli = makeRootedCli();
    await both(cli, async () => {
      const { code, out } = await cli.run(["roots", "list"]);
      expect([code, out]).toEqual([0, expect.stringMatching(/^project +usable +file:\/\//m)]);
      const listed = JSON.parse((await cli.run(["roots", "list", "--json"])).out);
      expect(listed).toMatchObject({ profile: "strict", supports_roots: false, count: 1, roots: [{ usable: true }] });
      expect(await cli.run(["roots", "resolve", "workspace://a%20b/c"])).toMatchObject({
        code: 0,
        out: `${join(projectOf(cli), "a b/c")}\n`,
      });
    });
  });

  it("resolve refuses what cannot be used, with the next step and no folder of the host", async () => {
    const cli = makeRootedCli();
    const refuse = async (path: string, told: string): Promise<void> => {
      const { code, out, err } = await cli.run(["roots", "resolve", path]);
      expect([path, code, out]).toEqual([path, 3, ""]);
      expect(err).toContain(told);
      expect(err).not.toContain(cli.dir);
    };
    await refuse("workspace://../x", "Use a path inside a root");
    const house = await openHouse(cli, "ops");
    await refuse("workspace://../x", "Use a path inside a root");
    await refuse("/etc/passwd", "Use a path inside a root");
    await refuse("workspace://a%2Fb", "workspace://folder/name");
    await refuse("workspace://@nobody/x", "workspace://@project/");
    await refuse("http://x.test/a", "workspace://folder/name");
    await closeHouse(house);
  });

  it("call is refused alike, and says in the words of the contract that there is no root", async () => {
    const cli = makeRootedCli({ list: [] });
    await both(cli, async () => {
      const { code, err } = await cli.run(["call", "ops__open", '{"path":"workspace://a"}']);
      expect([code, err]).toEqual([3, expect.stringContaining("no workspace roots advertised by client")]);
      expect(err).toContain("capabilities.roots.list");
      expect((await cli.run(["roots", "list"])).err).toContain("There are no roots");
    });
  });

  it("call sends a path of the project to the tool", async () => {
    const cli = makeRootedCli();
    const { code, out } = await cli.run(["call", "ops__open", '{"path":"a.usd"}', "--json"]);
    expect([code, out]).toEqual([0, expect.stringContaining(join(projectOf(cli), "a.usd"))]);
  });
});
