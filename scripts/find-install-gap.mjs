/**
 * What is missing between package-lock.json and node_modules, read from the list that npm itself keeps there. There is no
 * stamp of our own that could go stale: after a plain `npm install` nothing is missing here either.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

const FIELDS = ["dependencies", "devDependencies", "optionalDependencies"];

const readJson = (file) => {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    if (error.code === "ENOENT") return null;
    throw new Error(`${file} cannot be read as JSON: ${error.message}`, { cause: error });
  }
};

const wanted = (manifest) =>
  FIELDS.flatMap((field) => Object.entries(manifest[field] ?? {}).map(([name, range]) => `${name}@${range}`))
    .toSorted()
    .join(" ");

/** A folder whose package.json asks for other packages than the lock file has noted for it. */
const findDisagreement = (root, lock) => {
  const folders = Object.keys(lock.packages).filter((path) => !path.includes("node_modules"));
  return folders.find((folder) => {
    const manifest = readJson(join(root, folder, "package.json"));
    return manifest === null || wanted(manifest) !== wanted(lock.packages[folder]);
  });
};

/** Null when everything is there. `optional` packages may be absent: they are for other platforms. */
export const findInstallGap = (root) => {
  const lock = readJson(join(root, "package-lock.json"));
  if (lock === null) return { kind: "disagree", reason: "package-lock.json is missing" };
  const folder = findDisagreement(root, lock);
  if (folder !== undefined) {
    return { kind: "disagree", reason: `${join(folder, "package.json")} and package-lock.json do not agree` };
  }
  const installed = readJson(join(root, "node_modules", ".package-lock.json"));
  if (installed === null) return { kind: "missing", reason: "nothing is installed yet" };
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (!path.startsWith("node_modules/")) continue;
    const found = installed.packages[path];
    if (found === undefined && entry.optional) continue;
    if (found?.version !== entry.version || found?.link !== entry.link) {
      return { kind: "missing", reason: `${path.slice("node_modules/".length)} is missing or of another version` };
    }
  }
  return null;
};
