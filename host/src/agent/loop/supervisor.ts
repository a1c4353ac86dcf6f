/**
 * Sees when a run goes round in circles. A tool that gives the same again and again, or whose results advance nothing, is
 * withdrawn until a call of any tool brings something new.
 */
import { hash } from "node:crypto";
import { jcs } from "../../kernel/jcs.ts";
import type { ModelTool } from "../../kernel/model.ts";
import { oneLine } from "../prompt/one-line.ts";
import type { ToolEnding } from "./loop-options.ts";

export interface SeenResult {
  /** In full. */
  readonly name: string;
  readonly input: unknown;
  readonly ending: Pick<ToolEnding, "bearing" | "code" | "content">;
}

interface ToolRecord {
  last: string;
  same: number;
  /** Code of the last refusal. */
  refusal: string | null;
  idle: number;
}

const MOST_SAME = 3;
const MOST_IDLE = 6;
const MOST_NOTICES = 20;

export class Supervisor {
  readonly #records = new Map<string, ToolRecord>();
  readonly #withdrawn = new Map<string, string>();
  /** Fingerprints of all successes. */
  readonly #successes = new Set<string>();

  /** Results of one answer in the order of its calls. */
  observe({ name, input, ending }: SeenResult): void {
    if (ending.bearing === "passing") return;
    const fingerprint = fingerprintOf(name, input, ending);
    const isNew = ending.bearing === "success" && !this.#successes.has(fingerprint);
    if (ending.bearing === "success") this.#successes.add(fingerprint);
    if (isNew) this.#giveBack();
    const record = this.#recordOf(name);
    record.same = record.last === fingerprint ? record.same + 1 : 1;
    record.last = fingerprint;
    countIdle(record, ending);
    const why = reasonIn(record);
    if (why !== null) this.#withdrawn.set(name, why);
  }

  /** Null: it can be called. */
  whyWithdrawn(name: string): string | null {
    const why = this.#withdrawn.get(name);
    return why === undefined ? null : describe(name, why);
  }

  /** Those of the list that are not withdrawn. */
  leave(tools: readonly ModelTool[], fullName: (written: string) => string): readonly ModelTool[] {
    if (this.#withdrawn.size === 0) return tools;
    return tools.filter(({ name }) => !this.#withdrawn.has(fullName(name)));
  }

  notices(): readonly string[] {
    const all = [...this.#withdrawn];
    const shown = all.slice(0, MOST_NOTICES).map(([name, why]) => describe(name, why));
    return all.length > MOST_NOTICES ? [...shown, `${all.length - MOST_NOTICES} more tools are withdrawn.`] : shown;
  }

  #recordOf(name: string): ToolRecord {
    const known = this.#records.get(name);
    if (known !== undefined) return known;
    const record: ToolRecord = { last: "", same: 0, refusal: null, idle: 0 };
    this.#records.set(name, record);
    return record;
  }

  /** They begin anew. */
  #giveBack(): void {
    for (const name of this.#withdrawn.keys()) this.#records.delete(name);
    this.#withdrawn.clear();
  }
}

/** What a tool says when it fails often does not depend on the input, so that changing it does not count as progress. */
const fingerprintOf = (name: string, input: unknown, { bearing, content }: SeenResult["ending"]): string =>
  hash("sha256", bearing === "error" ? `error\0${name}\0${content}` : `success\0${name}\0${jcs(input)}\0${content}`);

const countIdle = (record: ToolRecord, { bearing, code }: SeenResult["ending"]): void => {
  if (bearing === "success") record.idle = 0;
  else if (bearing === "idle") record.idle++;
  else if (code !== null) {
    record.idle = record.refusal === code ? record.idle + 1 : 1;
    record.refusal = code;
  }
};

const reasonIn = ({ same, idle }: ToolRecord): string | null => {
  if (same >= MOST_SAME) return `it gave the same result ${MOST_SAME} times in a row`;
  return idle >= MOST_IDLE ? `${MOST_IDLE} of its results brought nothing` : null;
};

const describe = (name: string, why: string): string =>
  `The tool ${oneLine(name)} is withdrawn: ${why}. Do something else, or answer with what you have; it returns when another call brings something new.`;
