/** A batch of texts by a plug-in that waits, one after another and several at a time. */
import { join } from "node:path";
import { startHost } from "./bailiwick.ts";
import { contentIds, WAIT_MS, WAITER, writeConfigs, writePlugins } from "./compose-place.ts";
import type { BatchFinding } from "./findings.ts";
import { openClient } from "./mcp-client.ts";

const ITEMS = 50;
const WORKERS = 8;

export const measureBatch = async (home: string): Promise<BatchFinding> => {
  const workDir = join(home, "work");
  const root = join(home, "project");
  writePlugins(workDir, 1);
  writeConfigs(root, contentIds(ITEMS), { type: WAITER });
  const settings = { capabilities: { roots: { list: [{ name: "project", path: root }] } } };
  const { target, launched } = await startHost({ home, workDir, settings });
  const client = await openClient(target);
  const batch = async (ids: readonly string[], workers: number): Promise<number> => {
    const args = { content_ids: ids, force: true, max_parallel: workers };
    const { text, ms } = await client.call("compose__batch_generate_content", args);
    if (!text.includes("batch_complete")) throw new Error(`the batch was answered ${text.slice(0, 500)}`);
    return ms;
  };
  // The plug-in's process is started by this one.
  await batch(contentIds(WORKERS), WORKERS);
  const parallelMs = await batch(contentIds(ITEMS), WORKERS);
  const sequentialMs = await batch(contentIds(ITEMS), 1);
  await client.close();
  await launched.stop();
  return { items: ITEMS, waitMs: WAIT_MS, workers: WORKERS, sequentialMs, parallelMs };
};
