/** What is noted about a result beside passing it on: its pieces, and what its own output schema has against it. */
import { ChunkDigest } from "../../kernel/chunk-digest.ts";
import type { Ending, StreamedChunks } from "../../kernel/call.ts";
import type { CallListener, ProviderAnswer } from "../../kernel/provider.ts";
import type { RawJson } from "../../kernel/raw-json.ts";
import type { Opened } from "../../kernel/stages.ts";

const MAX_CHUNKS = 10_000;
const MAX_CHARS = 1 << 20;

/** Given the definition of a tool and the structured part of its result. */
export type CheckOutput = (definition: Readonly<Record<string, unknown>>, structured: unknown) => string | null;

class Chunks {
  readonly #digest = new ChunkDigest();
  #kept: RawJson[] | null = [];
  #count = 0;
  #chars = 0;

  add(delta: RawJson): void {
    this.#count++;
    this.#chars += delta.length;
    this.#digest.add(JSON.parse(delta));
    if (this.#count > MAX_CHUNKS || this.#chars > MAX_CHARS) this.#kept = null;
    this.#kept?.push(delta);
  }

  get value(): StreamedChunks {
    return { count: this.#count, digest: this.#digest.value(), kept: this.#kept };
  }
}

/** Listens along with a caller that wants the pieces; null: it does not. */
export const keepChunks = (call: Opened): Chunks | null => {
  const { listener, target } = call;
  if (!target.tool?.streams) return null;
  const chunks = new Chunks();
  const hear: CallListener = {
    progress: (members) => listener.progress(members),
    log: (members) => listener.log(members),
    level: () => listener.level(),
    chunk: (delta) => {
      chunks.add(delta);
      listener.chunk?.(delta);
    },
  };
  Object.assign(call, { listener: hear });
  return chunks;
};

interface Findings {
  readonly call: Opened;
  readonly answer: ProviderAnswer;
  readonly chunks: Chunks | null;
  readonly check: CheckOutput;
}

export const withFindings = (ending: Ending, { call, answer, chunks, check }: Findings): Ending => {
  if (ending.kind !== "result") return ending;
  const outputInvalid = invalidOutput(call, answer, check);
  if (chunks === null && outputInvalid === null) return ending;
  return {
    ...ending,
    ...(chunks === null ? {} : { chunks: chunks.value }),
    ...(outputInvalid === null ? {} : { outputInvalid }),
  };
};

/** Only what a tool returned in success is bound by its schema. */
const invalidOutput = ({ target }: Opened, answer: ProviderAnswer, check: CheckOutput): string | null => {
  const schema = target.tool?.value["outputSchema"];
  if (schema === undefined || answer.kind !== "result" || answer.isError) return null;
  return check(target.tool?.value ?? {}, answer.value["structuredContent"]);
};
