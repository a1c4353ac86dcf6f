/** Where the host's Python runner lies, whether the host runs from its sources, its modules or its bundle. */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

const isModule = /\/skills\/packages\/run\/locate-runner\.[jt]s$/.test(import.meta.url);

const RUNNER = fileURLToPath(
  new URL(isModule ? "../../../../runner/run_tool.py" : "../../runner/run_tool.py", import.meta.url),
);

export const locateRunner = (): { readonly file: string; readonly folder: string } => ({
  file: RUNNER,
  folder: dirname(RUNNER),
});
