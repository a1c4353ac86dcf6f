/** The arguments and the result that were retained with an event, from any process that may read the host's secret. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { EVIDENCE_FILE } from "./evidence-schema.ts";
import { PayloadTable } from "./payload-table.ts";

const BUSY_MS = 2000;

/** Null when nothing was retained with it, or it is not there any more. */
export const readPayload = (dir: string, sequence: number): string | null => {
  const db = new DatabaseSync(join(dir, EVIDENCE_FILE), { readOnly: true, timeout: BUSY_MS });
  try {
    return new PayloadTable(db, dir).read(sequence);
  } finally {
    db.close();
  }
};
