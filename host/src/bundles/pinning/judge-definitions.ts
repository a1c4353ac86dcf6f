/**
 * What of a listing may be shown and called, given what was accepted. Pure. A tool that is gone is gone; what was accepted
 * of it is kept, so that its return in the same form needs nobody. Prompts and resources are not compared.
 */
import { createHash } from "node:crypto";
import type { HeldDefinition } from "../../kernel/bundle-admin.ts";
import { definitionOf } from "../../kernel/definition-of.ts";
import type { Catalogue, ListedTool } from "../../kernel/provider.ts";
import { rawJson } from "../../kernel/raw-json.ts";
import type { AcceptedSet, AcceptedTool, Listing } from "./accepted-set.ts";
import { comparedMembers } from "./compared-members.ts";

export interface Shown {
  /** As clients and models see it. */
  readonly shown: Catalogue;
  /** Waits for a person's yes. */
  readonly held: readonly HeldDefinition[];
}

export interface Judgement extends Shown {
  /** Accepted in this act, without a person. */
  readonly taken: readonly HeldDefinition[];
  readonly accepted: AcceptedSet;
}

export const judgeDefinitions = (listing: Listing, accepted: AcceptedSet, mode: "hold" | "warn"): Judgement => {
  const { catalogue, version } = listing;
  const takesNew = version !== accepted.version && !accepted.incomplete;
  // A server has one text of instructions: where there was none, another version does not make it another thing.
  const isTaken = ({ tool, reason }: HeldDefinition): boolean =>
    mode === "warn" || (tool !== null && reason === "definition_new" && takesNew);
  const found = differencesOf(catalogue, accepted);
  const held = found.filter((each) => !isTaken(each));
  const taken = found.filter(isTaken);
  return {
    shown: show(catalogue, held, accepted),
    held,
    taken,
    accepted: {
      ...acceptDefinitions(accepted, taken, catalogue),
      version,
      incomplete: accepted.incomplete && mode === "hold",
    },
  };
};

/** The set with these definitions, as the server lists them, in it. */
export const acceptDefinitions = (
  accepted: AcceptedSet,
  items: readonly HeldDefinition[],
  catalogue: Catalogue,
): AcceptedSet => {
  if (items.length === 0) return accepted;
  const names = new Set(items.map(({ tool }) => tool));
  const tools = new Map(accepted.tools);
  for (const { name, definition, json } of catalogue.tools) {
    if (names.has(name)) tools.set(name, { hash: definition, json });
  }
  return { ...accepted, tools, instructions: names.has(null) ? catalogue.instructions : accepted.instructions };
};

/** `sha256:<hex>` over the canonical JSON of the text. */
export const hashInstructions = (text: string): string =>
  `sha256:${createHash("sha256").update(JSON.stringify(text)).digest("hex")}`;

const differencesOf = ({ tools, instructions }: Catalogue, accepted: AcceptedSet): readonly HeldDefinition[] => {
  const found: HeldDefinition[] = [];
  for (const tool of tools) {
    const known = accepted.tools.get(tool.name) ?? null;
    if (known?.hash === tool.definition) continue;
    found.push({
      tool: tool.name,
      reason: known === null ? "definition_new" : "definition_changed",
      accepted: known?.hash ?? null,
      offered: tool.definition,
      before: known && comparedMembers(valueOf(known)),
      after: comparedMembers(tool.value),
    });
  }
  if (!instructions || instructions === accepted.instructions) return found;
  const { instructions: before } = accepted;
  found.push({
    tool: null,
    reason: before === null ? "definition_new" : "definition_changed",
    accepted: before === null ? null : hashInstructions(before),
    offered: hashInstructions(instructions),
    before: before === null ? null : { instructions: before },
    after: { instructions },
  });
  return found;
};

const show = (catalogue: Catalogue, held: readonly HeldDefinition[], accepted: AcceptedSet): Catalogue => {
  if (held.length === 0) return catalogue;
  const why = new Map(held.map((each) => [each.tool, each.reason]));
  return {
    ...catalogue,
    tools: catalogue.tools.map((tool) => {
      const reason = why.get(tool.name);
      return reason === undefined ? tool : heldTool(tool.name, reason, accepted.tools.get(tool.name));
    }),
    instructions: why.has(null) ? accepted.instructions : catalogue.instructions,
  };
};

/** The host's own word, for clients that take every tool to have a description. */
const NOT_ACCEPTED = "Not accepted yet: nobody has looked at how its server defines this tool, so it cannot be called.";

const heldTool = (name: string, held: HeldDefinition["reason"], known: AcceptedTool | undefined): ListedTool => {
  if (known !== undefined) return { name, held, json: known.json, value: valueOf(known), definition: known.hash };
  const value = { name, description: NOT_ACCEPTED, inputSchema: { type: "object" } };
  return { name, held, json: rawJson(JSON.stringify(value)), value, definition: definitionOf(value) };
};

const valueOf = ({ json }: AcceptedTool): Readonly<Record<string, unknown>> =>
  JSON.parse(json) as Record<string, unknown>;
