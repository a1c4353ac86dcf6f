/** The routes on which a run is heard again, and what was sent to the model in it is seen. */
import { Refusal } from "../kernel/refusal.ts";
import { chatCaller } from "./chat-caller.ts";
import { createChatHearing } from "./chat-hearing.ts";
import { streamChat } from "./chat-stream.ts";
import type { RestParts } from "./rest-parts.ts";
import { ok, type RestAsk, type RestRoute } from "./rest-route.ts";

type Run = RestRoute["run"];

export const createRunRoutes = ({ deps, heartbeat, inFlight }: RestParts): [string, RestRoute][] => {
  const hearing = createChatHearing(inFlight);
  const { agent } = deps;
  const events: Run = async (ask) => {
    const { res, caller, argument } = ask;
    const after = readAfter(ask);
    await hearing(ask, {
      again: true,
      begin: () => agent.run(argument, chatCaller(caller)),
      hear: (run, signal) => streamChat({ deps, heartbeat, res, caller, run, after, signal }),
    });
    return null;
  };
  const prompt: Run = ({ caller, argument }) => ok(agent.promptOf(argument, chatCaller(caller)));
  return [
    ["GET /v1/runs/*/events", { run: events }],
    ["GET /v1/runs/*/prompt", { run: prompt }],
  ];
};

/** The header wins: a client that comes back by itself sends the address that it began with. */
const readAfter = ({ req, query }: RestAsk): number => {
  const header = req.headers["last-event-id"];
  const text = header === undefined ? (query.get("after") ?? "0") : String(header);
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new Refusal("bad_request", {
    message: `${header === undefined ? '"after"' : "Last-Event-ID"} is not the id of an event.`,
    next: "Send the id of the last event that you got, or leave it out.",
  });
};
