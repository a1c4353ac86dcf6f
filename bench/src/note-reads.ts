/**
 * Loaded into a host before its own code (`--import`): notes how long each read of a document of `capabilities://` takes where
 * it is made, without gates, evidence and HTTP. When the host ends, the times are written to `reads.json` in its own folder.
 */
import { writeFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";
import { importHost } from "./import-host.ts";

interface Shelf {
  read: (this: Shelf, uri: string, by: object) => Promise<unknown>;
}

const noteReads = async (): Promise<void> => {
  const { DocumentShelf } = await importHost<{ DocumentShelf: { prototype: Shelf } }>(
    "compose/documents/document-shelf",
  );
  const times: number[] = [];
  const { prototype } = DocumentShelf;
  const { read } = prototype;
  prototype.read = async function (uri, by) {
    const from = performance.now();
    try {
      return await read.call(this, uri, by);
    } finally {
      times.push(performance.now() - from);
    }
  };
  process.once("exit", () => writeFileSync("reads.json", JSON.stringify(times)));
};

// The host's threads load this too.
if (isMainThread) await noteReads();
