/** The one document that a script is given: the caller's own arguments as they came, where it may work, and about what it is. */
import type { CallFacts } from "../../../kernel/provider.ts";
import type { RawMembers } from "../../../kernel/raw-json.ts";
import { worksOnFiles } from "../../../kernel/roots.ts";
import { memberOf } from "../../../kernel/scan-json.ts";

export interface InputOrder {
  readonly tool: string;
  /** Params of the call. */
  readonly params: RawMembers;
  /** Null: nobody knows, as of a call that does not come by the host's own path. */
  readonly facts: CallFacts | null;
  /** Ms since the epoch. */
  readonly deadline: number;
}

export const scriptInput = ({ tool, params, facts, deadline }: InputOrder): string => {
  const all = `{${params}}`;
  const given = memberOf(all, "arguments");
  const args = given === null ? "{}" : all.slice(given.start, given.end);
  const roots = facts !== null && worksOnFiles(facts.required) ? facts.roots.json : "null";
  const context = JSON.stringify({
    invocation_id: facts?.invocationId ?? null,
    correlation_id: facts?.correlationId ?? null,
    workspace: facts?.workspace ?? null,
    principal: facts?.principal ?? null,
    deadline: new Date(deadline).toISOString(),
  });
  return `{"tool":${JSON.stringify(tool)},"arguments":${args},"_workspace_roots":${roots},"context":${context}}\n`;
};
