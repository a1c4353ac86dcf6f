/**
 * A result that is too large for a client is kept as a file of the workspace, whole as it came; the caller gets its beginning
 * and the way to the rest. Only results of tools: what else can be read, can be read in parts.
 */
import type { Ending } from "../../kernel/call.ts";
import type { FileInfo, FilesOf, NewFile } from "../../kernel/files.ts";
import { principalName } from "../../kernel/principal-name.ts";
import { rawJson } from "../../kernel/raw-json.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { Opened } from "../../kernel/stages.ts";

export interface SpillOptions {
  readonly files: FilesOf;
  /** `mcp.maxResultBytes` */
  readonly maxResultBytes: number;
}

type ReportBug = (bug: unknown) => void;

const SHOWN = 32 * 1024;

export type Spill = (call: Opened, ending: Ending) => Ending | Promise<Ending>;

export const createSpill =
  ({ files, maxResultBytes }: SpillOptions, report: ReportBug): Spill =>
  (call, ending) => {
    if (ending.kind !== "result" || call.operation !== "call" || ending.open) return ending;
    // A character is at most three bytes of UTF-8, so that short texts need not be counted.
    if (ending.json.length * 3 <= maxResultBytes) return ending;
    const bytes = Buffer.from(ending.json);
    return bytes.length <= maxResultBytes
      ? ending
      : spill(call, { bytes, isError: ending.isError }, keeperOf(files, report));
  };

interface Large {
  readonly bytes: Buffer;
  readonly isError: boolean;
}

type Keep = (workspace: string, file: NewFile) => Promise<FileInfo | Refusal>;

/** The tool has run, so whatever goes wrong here is told beside its result, never instead of it. */
const keeperOf =
  (files: FilesOf, report: ReportBug): Keep =>
  async (workspace, file) => {
    try {
      return await files(workspace).create(file);
    } catch (no) {
      if (no instanceof Refusal) return no;
      report(no);
      return notWritten();
    }
  };

const notWritten = (): Refusal =>
  new Refusal("upstream_failed", {
    message: "The files of the workspace could not be written.",
    next: "Ask whoever runs the host: its log says why.",
  });

const spill = async (call: Opened, large: Large, keep: Keep): Promise<Ending> => {
  const { principal, target } = call;
  const kept = await keep(principal.workspace, {
    filename: `${target.flatName.slice(0, 200)}-result.json`,
    bytes: large.bytes,
    mimeType: "application/json",
    tags: ["spill"],
    description: `A result of ${target.flatName.slice(0, 200)} that was too large to be answered`,
    createdBy: principalName(principal),
  });
  // Without the structured part that its definition promises it is no valid result of this tool.
  const isError = large.isError || kept instanceof Refusal || target.tool?.value["outputSchema"] !== undefined;
  const said = kept instanceof Refusal ? unkept(large, kept) : pointTo(large, kept);
  return { kind: "result", json: rawJson(JSON.stringify({ ...said, ...(isError ? { isError } : {}) })), isError };
};

/** Cut between characters. */
const beginningOf = ({ bytes }: Large): string => new TextDecoder().decode(bytes.subarray(0, SHOWN), { stream: true });

const pointTo = (large: Large, { uri, id, size, sha256, filename, mimeType }: FileInfo): object => ({
  content: [
    {
      type: "text",
      text:
        `The result has ${size} bytes, too many for one answer. It was kept whole as the file ${uri}. ` +
        `Read it in parts: files__read {"id":"${id}","offset":0,"length":50000}. It begins:\n${beginningOf(large)}`,
    },
    { type: "resource_link", uri, name: filename, mimeType, size },
  ],
  _meta: { "dev.bailiwick/spill": { uri, size, sha256 } },
});

const unkept = (large: Large, { message, next }: Refusal): object => ({
  content: [
    {
      type: "text",
      text:
        `The tool ran, and its result has ${large.bytes.length} bytes, too many for one answer. It could not be kept as a ` +
        `file: ${message} ${next} The result begins:\n${beginningOf(large)}`,
    },
  ],
});
