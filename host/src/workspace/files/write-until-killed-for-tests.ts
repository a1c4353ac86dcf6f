/** Creates and removes files in the folder that it is given, several at a time, and tells each that is there to stay. */
import { openFileStore } from "./open-file-store.ts";
import { TextDesk } from "./text-desk.ts";

const limits = { maxFileSize: 1e9, maxWorkspaceSize: 1e9, maxFiles: 1e9 };
const store = openFileStore({ dir: process.argv[2] ?? "", limits, text: new TextDesk() });

const write = async (name: string): Promise<void> => {
  for (let round = 0; round < 200; round++) {
    const bytes = Buffer.alloc(200_000 + round, name);
    const file = { filename: `${name}.txt`, bytes, createdBy: "person:ann" };
    const { id } = await store.create(file);
    const doomed = await store.create(file);
    process.stdout.write(`${id}\n`);
    await store.remove(doomed.id);
  }
};

await Promise.all(["a", "b", "c", "d"].map(write));
