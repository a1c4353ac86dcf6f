/** Plans over sources that are written out, with no file of them on disk. */
import { planImport } from "./import-plan.ts";
import type { ImportPlace, ImportPlan, ImportSource } from "./import-step.ts";

const SOURCE: ImportSource = {
  kind: "client",
  path: "/src/mcp.json",
  configs: [],
  servers: [],
  skills: [],
  conversations: [],
  notes: [],
};

export const placeWith = (value: Readonly<Record<string, unknown>>, more: Partial<ImportPlace> = {}): ImportPlace => ({
  workspace: "ws_default",
  configFile: "/here/bailiwick.json",
  baseDir: "/here",
  value,
  builtIn: ["bash"],
  importedDir: "/kept/imported",
  skillsDir: "/kept/skills",
  conversationsDir: "/kept/conversations",
  home: "/home/ann",
  env: {},
  manifestIn: () => null,
  ...more,
});

const EMPTY = placeWith({});

export const clientPlan = (servers: Readonly<Record<string, unknown>>, place = EMPTY): ImportPlan =>
  planImport(
    { ...SOURCE, servers: Object.entries(servers).map(([name, value]) => ({ name, value, baseDir: "/src" })) },
    place,
  );

export const nimblePlan = (value: Readonly<Record<string, unknown>>, place = EMPTY): ImportPlan =>
  planImport({ ...SOURCE, kind: "nimblebrain", configs: [{ file: "/nb/nimblebrain.json", value }] }, place);
