/** What the routes about capabilities, skills and roots are told. Only shapes are checked; what is wrong is named by its field. */
import { Refusal } from "../kernel/refusal.ts";
import type { SkillFilter } from "../kernel/skill-admin.ts";
import type { RestBody } from "./read-rest-body.ts";

const MAX_NAMES = 1_000;
const MAX_DCC = 256;
const NAME = /^[^\p{Cc}]{1,256}$/u;
const DIGEST = /^sha256:[0-9a-f]{64}$/;

const bad = (message: string, next: string): Refusal => new Refusal("bad_request", { message, next });

export const readDeclaredOrder = ({ value: { declared, ...rest } }: RestBody): readonly string[] => {
  refuseOthers(rest, "declared");
  const next = 'Send the whole list: {"declared": ["usd", "filesystem.read"]}.';
  if (!Array.isArray(declared)) throw bad('"declared" is not a list of names.', next);
  if (declared.length > MAX_NAMES) throw bad(`"declared" has more than ${MAX_NAMES} names.`, next);
  const at = declared.findIndex((name) => typeof name !== "string" || !NAME.test(name));
  if (at === -1) return declared as readonly string[];
  throw bad(`"declared" has an entry ${at} that is no name of 1 to 256 characters without control characters.`, next);
};

export const readPathOrder = ({ value: { path, ...rest } }: RestBody): string => {
  refuseOthers(rest, "path");
  if (typeof path === "string") return path;
  throw bad('"path" is not a string.', 'Send {"path": "workspace://folder/file"}.');
};

export const readDigestOrder = ({ value: { digest, ...rest } }: RestBody): string => {
  refuseOthers(rest, "digest");
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

const refuseOthers = (rest: object, known: string): void => {
  const [other] = Object.keys(rest);
  if (other === undefined) return;
  throw bad(`${JSON.stringify(other.slice(0, 64))} is no field here.`, `Send "${known}" alone.`);
};
