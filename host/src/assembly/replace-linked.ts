/** Writes a file of the user's whole or not at all, in the place that a link of its name points to. */
import { chmod, mkdir, open, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";

/** `keepMode` false: from now on only its owner may read it. */
export const replaceLinked = async (
  given: string,
  text: string,
  { keepMode }: { readonly keepMode: boolean },
): Promise<void> => {
  const file = await realpath(given).catch(() => given);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const mode = keepMode ? ((await stat(file).catch(() => null))?.mode ?? 0o600) : 0o600;
  const draft = `${file}.${process.pid}.new`;
  await rm(draft, { force: true });
  const handle = await open(draft, "wx", 0o600);
  try {
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await chmod(draft, mode & 0o777);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    throw error;
  }
};
