/** A directory of `.mcpb` files as a registry: found by the name in the manifest inside, not by the name of the file. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { compareVersions } from "./compare-versions.ts";
import { readArchiveManifest, type ArchiveManifest } from "./read-archive-manifest.ts";
import { textOf } from "./registry-json.ts";
import { NO_TRUST, type Found, type Registry } from "./registry.ts";

const MAX_ARCHIVES = 2_000;
const MAX_TOOLS = 100;

interface Shelved extends ArchiveManifest {
  readonly file: string;
}

export const createDirRegistry = (path: string): Registry => {
  const label = `dir ${path}`;
  return {
    label,
    async find({ name, version }, signal) {
      const fitting = (await readShelf(path, signal)).filter(
        (each) => each.name === name && (version === null || each.version === version),
      );
      const [best] = fitting.toSorted((a, b) => compareVersions(b.version, a.version));
      if (best === undefined) return null;
      const { file, version: found } = best;
      return { kind: "file", file, version: found, manifest: { name, version: found }, ...NO_TRUST };
    },
    async search(query, limit, signal) {
      const words = query.toLowerCase();
      const newest = new Map<string, Shelved>();
      for (const each of await readShelf(path, signal)) {
        if (!`${each.name}\n${each.description ?? ""}\n${each.tools.join("\n")}`.toLowerCase().includes(words))
          continue;
        const before = newest.get(each.name);
        if (before === undefined || compareVersions(each.version, before.version) > 0) newest.set(each.name, each);
      }
      return [...newest.values()].slice(0, limit).map((each) => describe(each, label));
    },
  };
};

const describe = ({ name, version, description, tools }: Shelved, registry: string): Found => ({
  name: textOf(name, 214) ?? "",
  version: textOf(version, 100),
  description: textOf(description, 500),
  tools: tools.slice(0, MAX_TOOLS).map((tool) => textOf(tool, 128) ?? ""),
  registry,
  ...NO_TRUST,
});

/** What cannot be read as an archive is left out: it has no name. Rejects when the directory cannot be read. */
const readShelf = async (path: string, signal: AbortSignal): Promise<Shelved[]> => {
  const files = (await readdir(path, { withFileTypes: true }))
    .filter((each) => !each.isDirectory() && each.name.toLowerCase().endsWith(".mcpb"))
    .map((each) => each.name)
    .toSorted()
    .slice(0, MAX_ARCHIVES);
  const shelf: Shelved[] = [];
  for (const name of files) {
    signal.throwIfAborted();
    const file = join(path, name);
    const manifest = await readArchiveManifest(file).catch(() => null);
    if (manifest !== null) shelf.push({ ...manifest, file });
  }
  return shelf;
};
