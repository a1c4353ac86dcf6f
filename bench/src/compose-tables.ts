/** What discovery and making texts cost, as tables. */
import type { Findings, ReadsFinding, VersionsFinding } from "./findings.ts";
import { valueOf } from "./goals.ts";
import { failureNote, number, type Table } from "./table.ts";

const ms = (value: number): string => number(value, 2);

const READ =
  "Read one at a time over /mcp, durable. Where it is made: without gates, evidence and HTTP. The first: in the order of the rows, " +
  "so the first of them also pays for what all need; plug-ins had told what they are before. Changed: a bundle had listed one tool more.";

const readsTable = ({ tools, generators, documents, describedMs }: ReadsFinding): Table => ({
  title: `Documents of capabilities://, ${number(tools)} tools and ${generators} generators`,
  head: [
    "document",
    "made: first, ms",
    "… p50",
    "… p99",
    "… after a change",
    "client: first, ms",
    "… p50",
    "… p99",
    "… after a change",
  ],
  rows: documents.map(({ uri, made, sent }) => [
    uri,
    ...[made, sent].flatMap((cost) => [cost.coldMs, cost.p50Ms, cost.p99Ms, cost.changedMs].map(ms)),
  ]),
  notes: [READ, `From the start until all plug-ins had told what they are: ${number(describedMs)} ms.`],
});

const STORED =
  "Medians at the client, in turns, one at a time. What is marked with * shows what is stored, or runs while that is read for the first " +
  "time after a start, so it takes longer the more there is.";

const versionsTable = ({ versions, contents, rows }: VersionsFinding): Table => ({
  title: `${number(versions)} stored versions of ${contents} contents`,
  head: ["what", "none, ms", "many, ms", "many to none"],
  rows: rows.map(({ what, isList, noneMs, manyMs }) => [
    isList ? `${what} *` : what,
    ms(noneMs),
    ms(manyMs),
    `${ms(manyMs / noneMs)}×`,
  ]),
  notes: [STORED],
});

export const composeTables = ({ compose }: Findings): Table[] => {
  const value = valueOf(compose);
  if (value === null) return [{ title: "Compose", head: [], rows: [], notes: failureNote("compose", compose) }];
  const { items, waitMs, workers, sequentialMs, parallelMs } = value.batch;
  const batch: Table = {
    title: `A batch of ${items} texts, each by a plug-in that waits ${waitMs} ms`,
    head: ["what", "measured"],
    rows: [
      ["one after another, ms", number(sequentialMs)],
      [`${workers} at a time, ms`, number(parallelMs)],
    ],
    notes: [],
  };
  return [readsTable(value.reads), batch, versionsTable(value.versions)];
};
