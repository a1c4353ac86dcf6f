/** What those who follow the bundles hear of definitions: names and hashes, never the text that nobody has accepted. Pure. */
import { createHash } from "node:crypto";
import type { HeldDefinition } from "../../kernel/bundle-admin.ts";
import { jcs } from "../../kernel/jcs.ts";
import type { BundleEvent } from "../bundle-event.ts";
import type { AcceptedSet } from "./accepted-set.ts";
import { hashInstructions } from "./judge-definitions.ts";

/** Why something is accepted: nothing was known of it, its version is another one, a person upgraded or accepted it. */
export type Because = "first_seen" | "new_version" | "upgrade" | "person";

const MAX_LISTED = 100;
const MAX_NAMED = 5;
const MAX_NAME = 64;

export const describeAccepted = (
  name: string,
  accepted: AcceptedSet,
  act: { readonly because: Because; readonly items: readonly HashPair[] },
): BundleEvent => {
  const { because, items } = act;
  const { version, origin } = accepted;
  return {
    type: "bundle.definitions_accepted",
    name,
    message: `${sayWhat(items)} of ${name} accepted: ${REASONS[because]}`,
    data: { name, because, version, origin, set: hashSet(accepted), count: items.length, tools: listHashes(items) },
  };
};

/** `held` false: they count already, and this only tells of it. */
export const describeChanged = (name: string, items: readonly HeldDefinition[], held: boolean): BundleEvent => {
  const next = `held until somebody accepts them: bailiwick bundle accept ${name}`;
  return {
    type: "bundle.definition_changed",
    name,
    message: `${sayWhat(items)} of ${name} changed or new: ${held ? next : `accepted at once ("pinning": "warn")`}`,
    data: { name, held, count: items.length, tools: listHashes(items) },
  };
};

/** Every definition of a set as if it had just been accepted. */
export const everythingOf = ({ tools, instructions }: AcceptedSet, before: AcceptedSet | null): readonly HashPair[] => [
  ...[...tools].map(([tool, { hash }]) => ({ tool, accepted: before?.tools.get(tool)?.hash ?? null, offered: hash })),
  ...(instructions
    ? [{ tool: null, accepted: hashOrNull(before?.instructions), offered: hashInstructions(instructions) }]
    : []),
];

type HashPair = Pick<HeldDefinition, "tool" | "accepted" | "offered">;

const REASONS: Record<Because, string> = {
  first_seen: "they are the first that were seen",
  new_version: "they are new in a new version",
  upgrade: "somebody installed or upgraded it",
  person: "somebody accepted them",
};

const hashOrNull = (text: string | null | undefined): string | null => (text ? hashInstructions(text) : null);

/** One hash for all of it, because only some are listed by name. */
const hashSet = ({ tools, instructions }: AcceptedSet): string => {
  const hashes = Object.fromEntries([...tools].map(([tool, { hash }]) => [`tool ${tool}`, hash]));
  const all = jcs({ ...hashes, instructions: hashOrNull(instructions) });
  return `sha256:${createHash("sha256").update(all).digest("hex")}`;
};

const listHashes = (items: readonly HashPair[]): readonly object[] =>
  items.slice(0, MAX_LISTED).map(({ tool, accepted, offered }) => ({
    tool,
    reason: accepted === null ? "definition_new" : "definition_changed",
    accepted,
    offered,
  }));

const sayWhat = (items: readonly HashPair[]): string => {
  const names = items.slice(0, MAX_NAMED).map(({ tool }) => tool?.slice(0, MAX_NAME) ?? "its instructions");
  const others = items.length > MAX_NAMED ? `, and ${items.length - MAX_NAMED} more` : "";
  return items.length === 0 ? "no definitions" : `definitions (${names.join(", ")}${others})`;
};
