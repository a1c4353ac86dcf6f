/** Questions and answers that a typed copy would lose or spell anew, and how a question looks where a rule changes it. */
import type { Question, Script } from "./fidelity-cells-for-tests.ts";
import { NOTICES, RESULTS } from "./lossless-texts-for-tests.ts";

const MESSAGE = String.raw`"message" : "caf\u00e9 \/ é"`;

const ELICITATION =
  String.raw`{ ${MESSAGE},"requestedSchema":{"type":"object","properties":{"__proto__":{"type":"string","x":1.0},"n":` +
  String.raw`{"type":"number","maximum":12345678901234567890}},"required":[ ]},"x-odd":[1e2,-0,{ } ],"_meta":{ "com.example/k" :1.0} }`;
const SAMPLING =
  String.raw`{"messages":[{"role":"user","content":{"type":"hologram","depth":1.0,"text":"\u2028 é"}}],"maxTokens":1e2,` +
  String.raw` "temperature":0.10,"x":12345678901234567890,"modelPreferences":{"hints":[{"x":null}] } }`;
const ROOTS = `{"x":1.0, "_meta":{ "com.example/k":[ ] } }`;

export const QUESTIONS: readonly Question[] = [
  { key: '"name"', method: "elicitation/create", params: ELICITATION },
  { key: '"model.1"', method: "sampling/createMessage", params: SAMPLING },
  { key: '"__roots-2"', method: "roots/list", params: ROOTS },
];

/** In the order of the questions. */
export const ANSWERS: readonly string[] = [
  String.raw`{ "action":"accept","content":{"name":"\u00e9","n":1.0,"__proto__":"x"},"x":[ ],"_meta":{"com.example/a":1e2} }`,
  String.raw`{"role":"assistant","model":"m","content":{"type":"hologram","n":12345678901234567890}, "stopReason":"\u0078","x":1.0}`,
  String.raw`{ "roots":[{"uri":"file:///caf%C3%A9","name":"\u00e9","x":1.0}],"x":null }`,
];

/** What the caller is asked: on the endpoint of all providers an elicitation says who asks. */
export const askedAs = ({ params }: Question, provider: string | null): string =>
  provider === null ? params : params.replace(MESSAGE, `"message" : ${JSON.stringify(`${provider}: café / é`)}`);

export const STATE = String.raw`"their \u0073tate \/ é"`;

export const FAILURE = String.raw`{"message":"caf\u00e9", "code":-31999,"data":{"n":1.0,"big":12345678901234567890,"__proto__":{ }},"extra":[ ]}`;

const progress = `{"jsonrpc":"2.0","params":{ "progressToken":TOKEN,${NOTICES.progress}},"method":"notifications/progress"}`;
const log = `{"jsonrpc":"2.0","method":"notifications/message","params":{${NOTICES.log} }}`;

export const ODD_RESULT = RESULTS["odd"] as string;

/** Members that a modern server adds to the result and to each question of a round. */
export const EXTRAS = ['"x-odd" : [1.0, -0]', '"x-more" : 1e2'] as const;

/** Everything at once in the first round, and one question more in the second. */
export const ROUNDS: Script["rounds"] = [
  { questions: QUESTIONS, state: STATE, extra: EXTRAS[0] },
  { questions: QUESTIONS.slice(0, 1), state: null, extra: EXTRAS[1] },
];

export const scriptOf = (mark: string, end = `"result" : ${ODD_RESULT}`): Script => ({
  mark,
  notices: [progress, log],
  rounds: ROUNDS,
  end,
});

/** The nth question of a script's answer. */
export const answerNth = (nth: number): string => `"result":${ANSWERS[nth % QUESTIONS.length]}`;
