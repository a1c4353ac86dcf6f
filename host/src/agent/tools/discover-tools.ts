/** `nb__discover_tools`: finds tools by what they do. Those that may be called join what the model is shown next. */
import type { BuiltInTool } from "../../kernel/built-in.ts";
import type { Fence, ParentRun } from "../../kernel/call-run.ts";
import type { Principal } from "../../kernel/principal.ts";
import type { ToolRow } from "../../kernel/surface.ts";
import { oneLine } from "../prompt/one-line.ts";
import { isCallable } from "../surface/direct-list.ts";
import type { SystemToolPorts } from "./system-tool-ports.ts";
import { answer } from "./tool-answers.ts";
import { flag, integer, list, object, text } from "./tool-schemas.ts";

const LIMIT = 10;
const DESCRIPTION = 160;
const REASON = 400;

interface ToolFound {
  readonly name: string;
  readonly call_as?: string;
  readonly description: string;
  readonly provider: string;
  readonly callable: boolean;
  readonly reason?: string;
}

const toolFound = object(
  {
    name: text("Its name; you call it by this unless call_as is given"),
    call_as: text("The name that it is listed under for you, where that is another: call it by this"),
    description: text("The first line of what it says of itself"),
    provider: text("Whose it is"),
    callable: flag("It can be called now"),
    reason: text("Why it cannot be called, and what can be done about that"),
  },
  ["name", "description", "provider", "callable"],
);

const providerFound = object(
  {
    name: text("Its name; its tools are named <name>__<tool>"),
    tools: integer("How many tools it has", { minimum: 0 }),
    status: text("What it is doing: running, starting, crashed, dead, stopped or refused"),
  },
  ["name", "tools", "status"],
);

export const discoverToolsTool = (ports: SystemToolPorts): BuiltInTool => ({
  definition: {
    name: "discover_tools",
    title: "Find tools",
    description:
      'Searches all tools of this workspace by what they do. Say in a few words what you want done, such as "create a calendar event". ' +
      "Tools that are found and can be called are listed for you from your next step on; call them by call_as where that is given, else by name. " +
      "A tool with callable false cannot be called now, for the reason that stands there. " +
      "An empty query lists the providers with the number of their tools.",
    inputSchema: object(
      {
        query: text("What the tool should do; empty: list the providers", { maxLength: 1_000 }),
        limit: integer("How many to return at most", { minimum: 1, maximum: 25, default: LIMIT }),
      },
      ["query"],
    ),
    outputSchema: object(
      {
        tools: list("The best match first", toolFound),
        total: integer("How many there are, shown or not", { minimum: 0 }),
        activated: list("Names of those that you are shown from the next step on", { type: "string" }),
        providers: list("Only for an empty query", providerFound),
      },
      ["tools", "total", "activated"],
    ),
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  run: async (args, call) => {
    const { query, limit = LIMIT } = args as { readonly query: string; readonly limit?: number };
    const { caller, origin } = call.facts();
    if (query.trim() === "") return answer(providersOf(ports, caller));
    const surface = ports.surface(caller);
    const { rows, total } = await ports.index.search(surface, query, limit);
    const fence: Fence = (name) => origin.run?.fence(name) ?? ports.refused(caller, name);
    const tools = rows.map((row) => describeTool(row, fence, origin.run));
    const callable = tools.filter((tool) => tool.callable).map(({ name }) => name);
    return answer({ tools, total, activated: callable.length === 0 ? [] : (origin.run?.join(callable) ?? []) });
  },
});

const providersOf = (ports: SystemToolPorts, caller: Principal): object => {
  const providers = ports
    .providers(caller)
    .map(({ name, tools, status }) => ({ name, tools, status: status.state }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return { providers, tools: [], total: providers.reduce((sum, { tools }) => sum + tools, 0), activated: [] };
};

const describeTool = (row: ToolRow, fence: Fence, run: ParentRun | null): ToolFound => {
  const { name, provider, description, title } = row;
  const reason = reasonAgainst(row, fence);
  const listed = reason === null && run !== null ? run.nameFor(name) : name;
  return {
    name,
    ...(listed === name ? {} : { call_as: listed }),
    description: oneLine(firstLine(description ?? title ?? ""), DESCRIPTION),
    provider,
    callable: reason === null,
    ...(reason === null ? {} : { reason }),
  };
};

const firstLine = (said: string): string =>
  said
    .slice(0, 10_000)
    .trimStart()
    .split(/[\r\n\u2028\u2029]/, 1)[0] ?? "";

/** Null: nothing is against it. */
const reasonAgainst = (row: ToolRow, fence: Fence): string | null => {
  const no = fence(row.name);
  if (no !== null) return oneLine(`${no.message} ${no.next}`, REASON);
  if (isCallable(row)) return null;
  const { state, reason, next, missing } = row;
  // What keeps it back in any case is told first: a capability would not help then.
  if (!isCallable({ state, missing: [] })) return oneLine([reason ?? `It is ${state}.`, next ?? ""].join(" "), REASON);
  const lacking = missing.slice(0, 10).join(", ");
  return oneLine(`The host does not declare what it requires: ${lacking}. An operator can declare it.`, REASON);
};
