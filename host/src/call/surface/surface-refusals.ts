/** The "no" of stage 3. None of them says more about what the caller may not see than the call itself did. */
import { Refusal } from "../../kernel/refusal.ts";
import type { Target } from "../../kernel/stages.ts";
import { flatName } from "./flat-name.ts";

const quoted = (name: string): string => JSON.stringify(name.slice(0, 128));

/** Others may act on it. Who they are is not told. */
export class BarredActor extends Refusal {
  constructor(name: string, principal: string) {
    super("not_visible", {
      message: `${principal} may not call ${quoted(name)}.`,
      next: `Ask the operator to add ${principal} to those who may, in allowed_actors of policy.capabilities.`,
    });
  }
}

export const notVisible = (name: string): Refusal =>
  new Refusal("not_visible", {
    message: `This key may not name ${quoted(name)}.`,
    next: "Ask the operator for a key whose scope covers it: bailiwick key create --name <name> --scope <glob>",
  });

export const ambiguous = (name: string, providers: readonly string[]): Refusal =>
  new Refusal("unknown_tool", {
    message: `Several providers have a tool named ${quoted(name)}: ${providers.join(", ")}.`,
    next: "Call it at its provider's own endpoint, /mcp/providers/<provider>, or by its full name, <provider>__<tool>.",
    details: { suggestions: providers.map((provider) => flatName(provider, name)), providers },
  });

export const stale = (token: string): Refusal =>
  new Refusal("stale_surface", {
    message: "The tools have changed since they were listed.",
    next: "List the tools again and repeat the call.",
    details: { surface: token },
  });

export const otherVersion = ({ flatName: tool, capability }: Target, requested: string): Refusal =>
  new Refusal("version_mismatch", {
    message: `${tool} is there in version ${capability.version}, and ${quoted(requested)} was asked for.`,
    next: `Ask for ${capability.version}, or for no version.`,
    details: { requested: requested.slice(0, 256), available: [capability.version] },
  });

export const unknownProvider = (provider: string, known: readonly string[] | null): Refusal =>
  new Refusal("unknown_tool", {
    message: `There is no provider named ${JSON.stringify(provider.slice(0, 64))}.`,
    next: "Use one of the configured providers.",
    details: { suggestions: [], ...(known === null ? {} : { providers: known }) },
  });
