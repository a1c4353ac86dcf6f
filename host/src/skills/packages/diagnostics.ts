/** What is wrong with one package, collected while it is read. Bounded, since a file can be wrong in every line. */
import type { PackageDiagnostic, PackageReason } from "../../kernel/skill-admin.ts";

export interface Place {
  /** `<file>#<JSON pointer>` */
  readonly pointer: string;
  readonly line: number;
}

export interface Finding {
  readonly reason: PackageReason;
  readonly tool?: string | null;
  readonly place?: Place;
  readonly message: string;
  readonly fix: string;
  /** It does not keep anything from being served. */
  readonly warning?: true;
}

const MAX_FINDINGS = 200;
const MAX_TEXT = 500;
const MAX_NAME = 64;
const MAX_POINTER = 300;

export class Diagnostics {
  readonly #found: Finding[] = [];
  #more = 0;

  add(finding: Finding): void {
    if (this.#found.length < MAX_FINDINGS - 1) this.#found.push(finding);
    else this.#more++;
  }

  /** Under the name that the package turned out to have. */
  of(name: string): readonly PackageDiagnostic[] {
    const all = this.#found.map((each) => toDiagnostic(name, each));
    if (this.#more === 0) return all;
    const reason = "invalid_tool" as const;
    const message = `${this.#more} more faults are not shown.`;
    return [...all, toDiagnostic(name, { reason, message, fix: "Mend those that are shown first." })];
  }
}

/** As people and programs are told of it. */
export const toDiagnostic = (name: string, finding: Finding): PackageDiagnostic => {
  const { reason, tool, place, message, fix, warning } = finding;
  return {
    reason_code: reason,
    package: cut(name, MAX_NAME),
    ...(typeof tool === "string" ? { tool: cut(tool, MAX_NAME) } : {}),
    ...(place === undefined ? {} : { pointer: cut(place.pointer, MAX_POINTER), line: place.line }),
    message: cut(message, MAX_TEXT),
    suggested_fix: cut(fix, MAX_TEXT),
    ...(warning ? { warning } : {}),
  };
};

/** What somebody else wrote, as it stands in a sentence. */
export const quote = (text: string): string => JSON.stringify(cut(text, MAX_NAME));

const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 3).toWellFormed()}...`;
