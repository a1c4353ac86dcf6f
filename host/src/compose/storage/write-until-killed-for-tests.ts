/** Stores and removes versions in the folder that it is given, several at a time, and tells each that is there to stay. */
import { VersionStore } from "./version-store.ts";

const store = new VersionStore({ dir: process.argv[2] ?? "", now: () => new Date() });

const write = async (name: string): Promise<void> => {
  for (let round = 0; round < 500; round++) {
    const made = { generator: "g", generator_version: "1", config_digest: "c", context_digest: "x" };
    const more = { format: "text", context_variables: [], approved: false };
    const { version_id } = await store.add({
      content_id: name,
      text: name.repeat(50_000 + round),
      ...made,
      ...more,
    });
    await store.add({ content_id: `${name}-doomed`, text: "x", ...made, ...more });
    process.stdout.write(`${name} ${version_id}\n`);
    await store.remove(`${name}-doomed`, { keepMeta: false });
  }
};

await Promise.all(["a", "b", "c", "d"].map(write));
