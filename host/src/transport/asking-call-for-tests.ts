/**
 * A stand-in for the call path that asks its caller: `arguments.rounds` lists the questions of each round, those of one
 * round are asked at once, and the result holds the answers as they came.
 */
import type { AskMethod } from "../kernel/ask.ts";
import type { Answer, HandleCall, RawCall } from "../kernel/call.ts";
import { rawJson, rawMembers } from "../kernel/raw-json.ts";

export interface AskedFor {
  readonly method?: AskMethod;
  readonly key?: string;
  readonly message?: string;
}

export const answerWith = (json: string): Answer => ({
  ending: { kind: "result", json: rawJson(json), isError: false },
  outcome: "success",
  principal: null,
  evidenceId: "evt_1",
  tool: null,
});

const SCHEMA = '{"type":"object","properties":{"name":{"type":"string"}}}';

const askOne = async (
  raw: RawCall,
  { method = "elicitation/create", key, message = "?" }: AskedFor,
): Promise<string> => {
  const params = rawJson(`{"message":${JSON.stringify(message)},"n":1.0,"requestedSchema":${SCHEMA}}`);
  const said = await raw.asker.ask({ method, key: key ?? null, params }, raw.signal);
  return said.json;
};

export const askingCall: HandleCall = async (raw) => {
  const { rounds = [], chatty } = raw.args as { rounds?: AskedFor[][]; chatty?: boolean };
  const said: string[] = [];
  for (const round of rounds) {
    said.push(...(await Promise.all(round.map((asked) => askOne(raw, asked)))));
    if (chatty) raw.listener.progress(rawMembers(`"progress":${said.length}`));
  }
  if (raw.signal.aborted) throw new Error("cancelled");
  return answerWith(`{"content":[],"said":[${said.join(",")}]}`);
};
