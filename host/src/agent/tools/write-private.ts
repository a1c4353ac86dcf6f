/** Writes a file whole or not at all, durable and readable by its owner only. Nothing that lies in its way is followed. */
import { randomBytes } from "node:crypto";
import { link, open, rename, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { syncFolder } from "../../kernel/sync-folder.ts";

/** `replace` false: rejects with EEXIST where there is one. */
export const writePrivate = async (file: string, text: string, how: { readonly replace: boolean }): Promise<void> => {
  const draft = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString("hex")}.new`);
  const handle = await open(draft, "wx", 0o600);
  try {
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (how.replace) return await rename(draft, file);
    await link(draft, file);
    await unlink(draft);
  } catch (error) {
    await unlink(draft).catch(() => {});
    throw error;
  } finally {
    await syncFolder(dirname(file));
  }
};
