/** What the routes about capabilities, skills and roots are told. Only shapes are checked; what is wrong is named by its field. */
import { findCapabilitiesFault } from "@bailiwick/contract";
import { Refusal } from "../kernel/refusal.ts";
import type { SkillFilter } from "../kernel/skill-admin.ts";
import type { RestBody } from "./read-rest-body.ts";

const MAX_DCC = 256;
const DIGEST = /^sha256:[0-9a-f]{64}$/;

const bad = (message: string, next: string): Refusal => new Refusal("bad_request", { message, next });

export interface DeclaredOrder {
  readonly declared: readonly string[];
  /** The list that it was made from; absent: nobody looked. */
  readonly before?: readonly string[];
}

export const readDeclaredOrder = ({ value: { declared, before, ...rest } }: RestBody): DeclaredOrder => {
  refuseOthers(rest, 'Send "declared", and "before" if you have looked.');
  const next = 'Send the whole list: {"declared": ["usd", "filesystem.read"]}.';
  const fault = findCapabilitiesFault(declared);
  if (fault !== null) throw bad(`"declared" ${fault}.`, next);
  if (before === undefined) return { declared: declared as readonly string[] };
  const doubt = findCapabilitiesFault(before);
  if (doubt !== null) throw bad(`"before" ${doubt}.`, "Send the list as GET /v1/host/capabilities gives it.");
  return { declared: declared as readonly string[], before: before as readonly string[] };
};

export const readPathOrder = ({ value: { path, ...rest } }: RestBody): string => {
  refuseOthers(rest, 'Send "path" alone.');
  if (typeof path === "string") return path;
  throw bad('"path" is not a string.', 'Send {"path": "workspace://folder/file"}.');
};

export const readDigestOrder = ({ value: { digest, ...rest } }: RestBody): string => {
  refuseOthers(rest, 'Send "digest" alone.');
  if (typeof digest === "string" && DIGEST.test(digest)) return digest;
  throw bad(
    digest === undefined ? '"digest" is missing.' : '"digest" is not the digest of a package.',
    'Look first: GET /v1/skills/<name>. Then send its "digest".',
  );
};

export const readSatisfied = (query: URLSearchParams): boolean => {
  const satisfied = query.get("satisfied") ?? "false";
  if (satisfied === "true" || satisfied === "false") return satisfied === "true";
  throw bad('"satisfied" is neither true nor false.', "Send satisfied=true, or leave it out.");
};

export const readSkillFilter = (query: URLSearchParams): SkillFilter => {
  const dcc = query.get("dcc");
  if (dcc !== null && (dcc === "" || dcc.length > MAX_DCC)) {
    throw bad(`"dcc" is not a text of 1 to ${MAX_DCC} characters.`, "Send dcc=maya, for example, or leave it out.");
  }
  return { ...(readSatisfied(query) && { satisfied: true }), ...(dcc !== null && { dcc }) };
};

const refuseOthers = (rest: object, next: string): void => {
  const [other] = Object.keys(rest);
  if (other === undefined) return;
  throw bad(`${JSON.stringify(other.slice(0, 64))} is no field here.`, next);
};
