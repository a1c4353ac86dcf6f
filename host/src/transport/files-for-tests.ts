/**
 * A call path that knows the files of one workspace: `files__create`, which takes a moment, and reads of `files://`. A file
 * named `full`, or of more than a thousand bytes, is over the quota, one named `held` waits for the test; whatever else is called has an empty list.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Answer, Ending, HandleCall, RawCall } from "../kernel/call.ts";
import { rawJson } from "../kernel/raw-json.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { RefusalKind } from "../kernel/refusals.ts";

export interface KeptFile {
  readonly id: string;
  readonly filename: string;
  readonly mimeType: string;
  readonly blob?: string;
  readonly text?: string;
}

export interface StandInFiles {
  readonly handleCall: HandleCall;
  readonly kept: Map<string, KeptFile>;
  /** How many calls were under way at once, at most. */
  atOnce(): number;
  release(): void;
}

const LIST = '{"content":[],"structuredContent":{"files":[],"total":12345678901234567890}}';

const answer = ({ name }: RawCall, ending: Ending): Answer => ({
  ending,
  outcome: "success",
  principal: null,
  evidenceId: "evt_1",
  tool: name,
});

const result = (json: string, isError = false): Ending => ({ kind: "result", json: rawJson(json), isError });

const refused = (kind: RefusalKind): Ending => ({
  kind: "refusal",
  stage: 10,
  refusal: new Refusal(kind, { message: `No: ${kind}.`, next: "Do otherwise." }),
});

export const standInFiles = (): StandInFiles => {
  const kept: StandInFiles["kept"] = new Map();
  const waiting = new Set<() => void>();
  let [now, most] = [0, 0];

  const create = async ({ args }: RawCall): Promise<Ending> => {
    const { filename, body, encoding, ...label } = args as { filename: string; body: string; encoding: string };
    if (filename === "held") await new Promise<void>((resolve) => waiting.add(resolve));
    await sleep(2);
    const size = Buffer.from(body, "base64").length;
    if (filename === "full" || size > 1000) return refused("quota_exceeded");
    if (filename === "barred") return refused("policy_denied");
    const id = `fl_${kept.size}`;
    kept.set(id, { id, filename, mimeType: "", ...label, ...(encoding === "base64" ? { blob: body } : {}) });
    const file = { id, filename, size, ...label };
    return result(JSON.stringify({ content: [], structuredContent: { file } }));
  };
  const read = ({ name, provider }: RawCall): Ending => {
    const found = kept.get(name.slice("files://".length));
    if (found === undefined || provider !== "files") return refused("resource_not_found");
    const { filename, id: _, ...item } = found;
    return result(JSON.stringify({ contents: [{ uri: name, ...item, _meta: { filename } }] }));
  };
  const end = async (raw: RawCall): Promise<Ending> => {
    if (raw.operation === "read") return read(raw);
    return raw.name === "files__create" ? create(raw) : result(LIST, raw.args["limit"] === "x");
  };
  return {
    kept,
    atOnce: () => most,
    release: () => waiting.forEach((resolve) => resolve()),
    handleCall: async (raw) => {
      most = Math.max(most, ++now);
      try {
        return answer(raw, await end(raw));
      } finally {
        now--;
      }
    },
  };
};
