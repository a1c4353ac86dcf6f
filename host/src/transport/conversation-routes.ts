/** The routes on which conversations are seen and kept in order. Whose they are is decided by the agent, which opens them. */
import { isStillKnown } from "./authenticate.ts";
import { chatCaller } from "./chat-caller.ts";
import { readConversationQuery, readForkPlace, readTitle } from "./conversation-orders.ts";
import { historyParts } from "./history-parts.ts";
import type { ListenerDeps } from "./listener-deps.ts";
import { oneOfFew } from "./one-of-few.ts";
import { readOptionalBody } from "./read-optional-body.ts";
import { readRestBody } from "./read-rest-body.ts";
import { ok, type RestAsk, type RestRoute } from "./rest-route.ts";
import { sendParts } from "./send-parts.ts";

type Run = RestRoute["run"];

const JSON_HEADERS = { "Content-Type": "application/json", "X-Content-Type-Options": "nosniff" };

export const createConversationRoutes = (deps: ListenerDeps): [string, RestRoute][] => {
  const { agent } = deps;
  // Whoever reads a long one slowly is not in the way of what takes no time.
  const [few, fewLong] = [oneOfFew(), oneOfFew()];
  const of = ({ caller }: RestAsk): ReturnType<typeof agent.conversations> => agent.conversations(chatCaller(caller));
  const list: Run = async (ask) => {
    const query = readConversationQuery(ask.query);
    return ok(await (await of(ask)).list(query));
  };
  const history: Run = async (ask) => {
    const { res, caller } = ask;
    const parts = historyParts(await (await of(ask)).open(ask.argument));
    await sendParts(res, { parts, headers: JSON_HEADERS, goesOn: () => isStillKnown(deps, caller) });
    return null;
  };
  const rename: Run = async (ask) => {
    const title = readTitle(await readRestBody(ask.req));
    return ok(await (await of(ask)).rename(ask.argument, title));
  };
  const remove: Run = async (ask) => {
    await (await of(ask)).delete(ask.argument);
    ask.res.writeHead(204).end();
    return null;
  };
  const fork: Run = async (ask) => {
    const place = readForkPlace(await readOptionalBody(ask.req));
    return ok(await (await of(ask)).fork(ask.argument, place), 201);
  };
  const cancel: Run = async ({ req, caller, argument }) => {
    await readOptionalBody(req);
    await agent.cancel(argument, chatCaller(caller));
    return ok({ conversationId: argument }, 202);
  };
  return [
    ["GET /v1/conversations", { run: few(list) }],
    ["GET /v1/conversations/*/history", { run: fewLong(history) }],
    ["PATCH /v1/conversations/*", { run: rename }],
    ["DELETE /v1/conversations/*", { run: remove }],
    ["POST /v1/conversations/*/fork", { run: few(fork) }],
    ["POST /v1/conversations/*/cancel", { run: cancel }],
  ];
};
