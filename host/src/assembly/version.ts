/** The software's version, from the package itself. */
import { readFileSync } from "node:fs";

const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");

export const HOST_VERSION = (JSON.parse(manifest) as { version: string }).version;
