/** Where one principal's own process of a bundle keeps its data: below the directory of the bundle. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { CreateBundleOptions } from "./create-bundle.ts";

/** Hashed: a principal's name may hold what no file name can, and it is nobody else's business. */
export const principalDataDir = ({ name, bundles }: CreateBundleOptions, owner: string): string =>
  join(
    bundles.workDir,
    "workspaces",
    bundles.workspace,
    "data",
    name,
    createHash("sha256").update(owner).digest("hex").slice(0, 32),
  );
