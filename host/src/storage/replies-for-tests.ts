/** A table of replies beside a log, filled commit by commit, and readers of it. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { onTestFinished } from "vitest";
import { replyKey as keyOf, rowSeal, temporaryDir } from "./evidence-for-tests.ts";
import { prepareSchema } from "./evidence-schema.ts";
import { RepliesReader } from "./replies-reader.ts";
import { RepliesTable } from "./replies-table.ts";

export const START = 1_000_000_000_000;
export const HOUR_MS = 3_600_000;

const line = (sequence: number, at: number, isCarried: boolean): string =>
  JSON.stringify({
    event_id: `evt ${sequence}`,
    invocation_id: `inv ${sequence}`,
    correlation: { correlation_id: "c" },
    timestamp: new Date(at).toISOString(),
    payload: isCarried ? "x".repeat(100) : "",
  });

interface CommitOptions {
  readonly keys?: (sequence: number) => string;
  /** So many large replies after the others. */
  readonly large?: number;
  /** Of each reply. */
  readonly text?: string;
  /** Too little of its events for its answers to stand in their row. */
  readonly isShort?: boolean;
}

/**
 * A table whose n-th reply is that of key n, with a batch of the log for each commit. `isCarried`: there is so much of each
 * event that its answer stands in the row of the events.
 */
export const openTable = (isCarried: boolean) => {
  const path = join(temporaryDir(), "evidence.db");
  const seal = rowSeal();
  const db = new DatabaseSync(path);
  onTestFinished(() => db.close());
  db.exec("PRAGMA journal_mode = WAL");
  prepareSchema(db);
  const insert = db.prepare("INSERT INTO batch (first, count, correlations, events, answers) VALUES (?, ?, '', ?, ?)");
  const openReader = (): RepliesReader => {
    const reader = new RepliesReader(path, seal);
    onTestFinished(() => reader.close());
    return reader;
  };
  let table = new RepliesTable(db, seal);
  let sequence = 0;
  const readers: RepliesReader[] = [];
  const commit = (count: number, at: number, { keys = keyOf, large = 0, text, isShort }: CommitOptions = {}): void => {
    const first = sequence + 1;
    db.exec("BEGIN");
    const replies = Array.from({ length: count }, () => {
      sequence++;
      const reply = {
        key: keys(sequence),
        text: text ?? `text ${sequence}`,
        ended: { sequence, count: 1 },
        begun: null,
      };
      table.add(reply);
      return reply;
    });
    for (let i = 0; i < large; i++) {
      const ended = { sequence: ++sequence, count: 1 };
      table.addLarge({ key: keys(sequence), text: `text ${sequence}`, ended, begun: null }, at);
    }
    if (sequence < first) sequence = first;
    const lines = Array.from({ length: sequence - first + 1 }, (_, i) =>
      line(first + i, at, isCarried && !isShort),
    ).join("\n");
    insert.run(first, sequence - first + 1, lines, table.flush(at, lines.length));
    db.exec("COMMIT");
    for (const reader of readers)
      for (const { key, text: kept, ended } of replies) reader.committed({ key, text: kept }, ended.sequence, first);
  };
  return {
    db,
    commit,
    openReader,
    follow: (reader: RepliesReader) => readers.push(reader),
    last: () => sequence,
    count: (of: string): number => Number(db.prepare(`SELECT count(*) AS n FROM ${of}`).get()?.["n"]),
    restart: (isClean: boolean): void => {
      if (isClean) table.close();
      table = new RepliesTable(db, seal);
    },
  };
};
export const textOf = (reader: RepliesReader, name: string | number, now = START): string | null =>
  reader.find(keyOf(name), now)?.text ?? null;
