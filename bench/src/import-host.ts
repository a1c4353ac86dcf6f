/**
 * A module of the built host, for what is measured inside a process. Whoever asks says what it uses of it.
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT } from "./places.ts";

/** `path`: below host/dist, without `.js`. */
export const importHost = async <Module>(path: string): Promise<Module> =>
  (await import(pathToFileURL(join(ROOT, "host", "dist", `${path}.js`)).href)) as Module;
