/**
 * Tables as text for a terminal, and the whole run as docs/benchmarks.md. No dates: a new run replaces the old one, and
 * keeps what that one measured of the goals beside its own.
 */
import type { Findings } from "./findings.ts";
import type { Table } from "./table.ts";
import { makeTables, type Earlier } from "./tables.ts";

const isNumeric = (cell: string): boolean => /^[\d,.–]+( ?(×|ms|µs|MB))?$/.test(cell);

const drawText = (table: Table): string => {
  const lines = table.rows.length === 0 ? [] : [table.head, ...table.rows];
  const widths = table.head.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? "").length)));
  const drawn = lines.map((line) =>
    line
      .map((cell, column) => (isNumeric(cell) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
  return [table.title, "", ...drawn, ...table.notes.map((note) => `  ${note}`), ""].join("\n");
};

const escape = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");

const drawMarkdown = (table: Table): string => {
  const line = (cells: readonly string[]): string => `| ${cells.map(escape).join(" | ")} |`;
  const rows =
    table.rows.length === 0 ? [] : [line(table.head), line(table.head.map(() => "---")), ...table.rows.map(line)];
  const notes = table.notes.map((note) => `- ${note}`);
  return [`## ${table.title}`, "", ...rows, ...(notes.length === 0 ? [] : ["", ...notes]), ""].join("\n");
};

const describeMachine = ({ machine, fsyncMs }: Findings): string =>
  `${machine.cores} cores (${machine.processor}), ${Math.round(machine.memoryBytes / 1e9)} GB, ${machine.system}, ` +
  `Node ${machine.node}; fdatasync of a 4 KiB append ${fsyncMs.toFixed(2)} ms (median).`;

const METHOD = `One stdio echo server behind each subject, one client process on the same cores, a closed loop over keep-alive
connections, one legacy session (none over CHP), every answer compared. All subjects are measured in turns, three rounds of them, and
the middle one counts. CPU is that of the subject's whole process tree, the echo server
included. RSS is the subject's main process, "tree" adds everything below it.`;

/** The goals as an earlier report has them; none when it is not one. */
export const readGoals = (markdown: string): Earlier => {
  const [, section = ""] = markdown.split("\n## Goals\n");
  const rows = (section.split("\n## ")[0] ?? "").split("\n").filter((line) => line.startsWith("| "));
  return new Map(
    rows.slice(2).map((line) => {
      const [what = "", , measured = ""] = line.slice(2, -2).split(" | ");
      return [what, measured];
    }),
  );
};

export const writeText = (findings: Findings, earlier: Earlier): string =>
  [describeMachine(findings), "", ...makeTables(findings, earlier).map(drawText)].join("\n");

export const writeMarkdown = (findings: Findings, earlier: Earlier): string =>
  [
    "# Benchmarks",
    "",
    "Written by `npm run bench`; do not edit.",
    "",
    describeMachine(findings),
    "",
    METHOD,
    "",
    ...makeTables(findings, earlier).map(drawMarkdown),
  ].join("\n");
