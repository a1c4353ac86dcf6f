/** For tests of roots: a disk of their own, and a configuration that can be exchanged. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WorkspaceResolveError } from "@bailiwick/contract";
import { onTestFinished } from "vitest";
import type { ClientRoots, RootList } from "../../kernel/roots.ts";
import type { RootSettings } from "./configured-roots.ts";
import { createRoots, type RootsOptions } from "./create-roots.ts";

const PLAIN: RootSettings = { fromClients: "auto", profile: "strict" };

export const temporaryDir = (): string => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "bailiwick-roots-")));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
};

export const open = (dir: string, settings: Partial<RootSettings> = {}, more: Partial<RootsOptions> = {}) => {
  const state = { settings: { ...PLAIN, ...settings } };
  const rootsOf = createRoots({
    settings: () => state.settings,
    projectDir: (workspace) => `${dir}/workspaces/${workspace}/project/`,
    resolvePath: (path) => join(dir, path),
    home: "/home/ann",
    workDir: join(dir, "workspaces"),
    configFile: join(dir, "bailiwick.json"),
    flavour: "posix",
    ...more,
  });
  const of = (clientRoots: ClientRoots | null = null, workspace = "ws_default"): RootList =>
    rootsOf({ workspace, clientRoots });
  return { of, state };
};

export const client = (via: ClientRoots["via"], ...uris: string[]): ClientRoots => ({
  via,
  listed: uris.map((uri) => ({ uri, name: null })),
});

export const tell = ({ rows }: RootList) => rows.map(({ name, path, reason }) => [name, path, reason !== null]);
export const kindOf = (work: () => string): string => {
  try {
    return work();
  } catch (no) {
    if (no instanceof WorkspaceResolveError) return no.kind;
    throw no;
  }
};

/** One folder that is opened, with a link in it that leads out. */
export const dirs = (): { dir: string; opened: string; inside: string; elsewhere: string; link: string } => {
  const dir = temporaryDir();
  const [opened, elsewhere] = [join(dir, "opened"), join(dir, "elsewhere")];
  mkdirSync(join(opened, "inside"), { recursive: true });
  mkdirSync(elsewhere);
  symlinkSync(elsewhere, join(opened, "link"));
  return { dir, opened, inside: join(opened, "inside"), elsewhere, link: join(opened, "link") };
};
export const LIST = { list: [{ name: "opened", path: "opened" }] };
