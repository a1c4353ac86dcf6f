/** The routes on which somebody talks to the agent, or sees what it would be told. */
import type { AgentRun, SkillMatching } from "../kernel/agent.ts";
import type { SkillSeen } from "../kernel/skill-admin.ts";
import { chatCaller } from "./chat-caller.ts";
import { createChatHearing } from "./chat-hearing.ts";
import { streamChat } from "./chat-stream.ts";
import { readChatOrder, readMatchOrder } from "./read-chat-order.ts";
import { readRestBody } from "./read-rest-body.ts";
import { hasPermission } from "./require-permission.ts";
import type { RestParts } from "./rest-parts.ts";
import { ok, type RestRoute } from "./rest-route.ts";

type Run = RestRoute["run"];

export const createChatRoutes = ({ deps, heartbeat, inFlight }: RestParts): [string, RestRoute][] => {
  const hearing = createChatHearing(inFlight);
  const { agent, skills, limits } = deps;
  const chat: Run = async (ask) => {
    const order = readChatOrder(await readRestBody(ask.req));
    return hearing(ask, {
      // Nobody could be told here what a call waits for.
      begin: () => agent.chat(order, chatCaller(ask.caller), { waitMs: 0 }),
      hear: async (run, signal) => ok((await Promise.all([run.result, hearOut(run, signal)]))[0]),
    });
  };
  const stream: Run = async (ask) => {
    const { res, caller } = ask;
    const order = readChatOrder(await readRestBody(ask.req));
    await hearing(ask, {
      begin: () => agent.chat(order, chatCaller(caller), { waitMs: limits.runWaitSeconds * 1000 }),
      hear: (run, signal) => streamChat({ deps, heartbeat, res, caller, run, after: 0, signal }),
    });
    return null;
  };
  const prompt: Run = async ({ req, caller }) =>
    ok(await agent.prompt(readChatOrder(await readRestBody(req)), chatCaller(caller)));
  const match: Run = async ({ req, caller }) => {
    const matching = await agent.match(readMatchOrder(await readRestBody(req)), chatCaller(caller));
    const listed = await skills.list(caller.principal);
    return ok(seenMatching(matching, listed.skills, hasPermission(caller.principal, "bundles:manage")));
  };
  return [
    ["POST /v1/chat", { run: chat }],
    ["POST /v1/chat/stream", { run: stream }],
    ["POST /v1/prompt", { run: prompt }],
    ["POST /v1/skills/match", { run: match }],
  ];
};

/** A run that nobody hears is cancelled after a while. */
const hearOut = async (run: AgentRun, signal: AbortSignal): Promise<void> => {
  for await (const _event of run.events(0, signal)) if (signal.aborted) return;
};

/** As `GET /v1/skills` has them: of skills nothing that is not listed there, and of the host's files nothing at all. */
const seenMatching = (matching: SkillMatching, listed: readonly SkillSeen[], steers: boolean): SkillMatching => {
  const rows = new Map(listed.map((row) => [row.name, row]));
  const candidates = matching.candidates.flatMap(({ reason: _reason, ...candidate }) => {
    const row = rows.get(candidate.name);
    return row === undefined ? [] : [{ ...candidate, ...(row.reason !== null && { reason: row.reason }) }];
  });
  return { ...matching, candidates, warnings: steers ? matching.warnings : [] };
};
