/** A result that is too long for a model becomes a file of the workspace, and evidence of the run says which. */
import type { KeptResult } from "../agent/chat/agent-ports.ts";
import type { FileStore } from "../kernel/files.ts";
import { principalName } from "../kernel/principal-name.ts";
import { subjectOf } from "../kernel/subject.ts";
import type { HostEvents } from "./record-host-events.ts";

export interface KeepParts {
  readonly files: Pick<FileStore, "create" | "remove">;
  readonly events: Pick<HostEvents, "inCorrelation">;
}

/** Durable in evidence before its URI is known to anybody; a file of which that cannot be written does not stay. */
export const keepResult = async ({ files, events }: KeepParts, kept: KeptResult): Promise<string> => {
  const { filename, text, by, tool, invocationId, runId, correlationId, causationId } = kept;
  const bytes = Buffer.from(text);
  const file = await files.create({ filename, bytes, mimeType: "text/plain", createdBy: principalName(by) });
  const { id, uri, sha256 } = file;
  const said = { run_id: runId, uri, sha256, tool, ...(invocationId === null ? {} : { invocation: invocationId }) };
  try {
    await events.inCorrelation(
      "result_kept",
      { id: correlationId, fresh: false, causationId },
      { payload: said, subject: subjectOf(by, "agent") },
    );
  } catch (error) {
    await files.remove(id);
    throw error;
  }
  return uri;
};
