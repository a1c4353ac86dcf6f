/** What the tests of this room share: a directory that goes away, drafts, vectors. */
import { createSecretKey, hash, randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { EvidenceDraft } from "../kernel/evidence.ts";
import { openEvidenceLog, type EvidenceLogOptions, type OpenEvidenceLog } from "./open-evidence-log.ts";
import { RowSeal } from "./row-seal.ts";

export const temporaryDir = (): string => {
  const dir = mkdtempSync(join(tmpdir(), "bailiwick-evidence-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
};

/** Under which the log keeps an answer. */
export const replyKey = (name: string | number): string => hash("sha256", String(name)).slice(0, 32);

export const openLog = async (dir: string, options: Partial<EvidenceLogOptions> = {}): Promise<OpenEvidenceLog> => {
  const log = await openEvidenceLog({
    dir,
    hostId: "test-host",
    environment: "test",
    durability: "before-execution",
    ...options,
  });
  onTestFinished(() => log.close().catch(() => undefined));
  return log;
};

export const draft = (over: Partial<EvidenceDraft> & { readonly correlationId?: string } = {}): EvidenceDraft => {
  const { correlationId, ...rest } = over;
  const id = randomBytes(16).toString("hex");
  return {
    type: "execution_started",
    invocationId: `inv_${id}`,
    capabilityId: "everything__echo",
    capabilityVersion: "1.0.0",
    correlation: {
      id: correlationId ?? `corr_${id}`,
      causationId: null,
      parentId: null,
      traceId: null,
      fresh: correlationId === undefined,
    },
    outcome: null,
    payload: '{"capability_uri": "everything__echo:1.0.0"}',
    subject:
      '{"door": "mcp", "id": "agent://mcp-client", "type": "agent", "verified": true, "workspace": "ws_default"}',
    error: "null",
    denial: "null",
    ...rest,
  };
};

export const ended = (started: EvidenceDraft): EvidenceDraft => ({
  ...started,
  type: "execution_completed",
  outcome: "success",
});

export const rowSeal = (): RowSeal => new RowSeal(createSecretKey(randomBytes(32)));

export const vector = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../test/vectors/${name}`, import.meta.url), "utf8"));
