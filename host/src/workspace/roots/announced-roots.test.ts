import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DISK } from "../../kernel/disk-view.ts";
import type { ClientRoots } from "../../kernel/roots.ts";
import { announcedRoots, type AnnouncedOptions } from "./announced-roots.ts";
import type { Root } from "./root-list.ts";

let dir: string;
let work: string;
let own: string;
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "bailiwick-announced-")));
  work = join(dir, "work");
  own = join(work, "workspaces/ws_a/project");
  for (const path of [join(own, "deep"), join(work, "workspaces/ws_b/project"), join(dir, "beside")])
    mkdirSync(path, { recursive: true });
  symlinkSync(work, join(dir, "link"));
});
afterEach(() => rmSync(dir, { recursive: true }));

const announce = (path: string, via: ClientRoots["via"], fromClients: AnnouncedOptions["fromClients"]): Root => {
  const configured = [{ name: "all", uri: `file://${dir}`, path: dir, reason: null }];
  const places = { workDir: work, project: own, configFile: `${dir}/bailiwick.json`, flavour: "posix" } as const;
  const options = { configured, home: "/home/ann", view: DISK, ...places };
  const [root] = announcedRoots({ listed: [{ uri: `file://${path}`, name: null }], via }, { ...options, fromClients });
  if (root === undefined) throw new Error("nothing came of it");
  return root;
};

describe.each([
  ["stdio", "auto"],
  ["http", "auto"],
  ["stdio", "always"],
  ["http", "always"],
] as const)("a client over %s, fromClients %s", (via, fromClients) => {
  it.each(["", "link", "work", "work/keys", "work/workspaces/ws_a", "work/workspaces/ws_b/project"])(
    "does not open the work directory of the host by announcing ./%s",
    (path) => {
      const { path: base, reason } = announce(join(dir, path), via, fromClients);
      expect([base, reason]).toEqual([null, expect.stringContaining("host's own work directory")]);
      expect(reason).not.toContain(dir);
    },
  );

  it("opens what lies beside it, and the folder in it that is the workspace's own", () => {
    for (const path of [join(dir, "beside"), own, join(own, "deep")])
      expect(announce(path, via, fromClients)).toMatchObject({ path, reason: null });
  });

  it("loses a folder that becomes a link into it", () => {
    const path = join(dir, "beside");
    const { holds } = announce(path, via, fromClients);
    expect(holds?.(DISK)).toBe(true);
    rmSync(path, { recursive: true });
    symlinkSync(work, path);
    expect(holds?.(DISK)).toBe(false);
  });
});
