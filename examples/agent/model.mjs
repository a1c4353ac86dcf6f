// A stand-in for a model, so that docs/agent.md can be followed without one: `node model.mjs [port]`. It speaks the
// OpenAI-compatible wire and answers a few sentences by rule. It understands nothing.
import { createServer } from "node:http";
import { json } from "node:stream/consumers";

const say = (words) => ({ words, calls: [] });
const call = (name, input, words = "") => ({ words, calls: [{ name, input }] });

/** Each rule is given how many answers there were so far, what the last tool gave, and what the pattern found. */
const RULES = [
  [/refund order \d+ and list the files/i, (step) => (step === 0 ? call("files__list", {}) : say("I may not."))],
  [/refund order (\d+)/i, (step, result, number) => refund(step, result, Number(number))],
  [/ask the clerk: (.+)/i, (step, result, task) => (step === 0 ? delegate(task) : say(`The clerk: ${late(result)}`))],
  [/which orders are late/i, (step, result) => (step === 0 ? call("orders__find", { late: true }) : say(late(result)))],
];

const refund = (step, result, number) => {
  if (step === 0) return call("orders__find", { number }, "I look the order up.");
  if (step > 1) return say(result.includes('"refunded"') ? `Order ${number} is refunded.` : "It is not refunded.");
  const [, paid] = /"paid":\s*([\d.]+)/.exec(result) ?? [];
  return paid === undefined ? say("There is no such order.") : call("orders__refund", { number, amount: Number(paid) });
};

const delegate = (task) => call("nb__delegate", { agent: "clerk", task: task.trim() });

const late = (result) => {
  const [number = "none"] = /\b1\d{3}\b/.exec(result) ?? [];
  return `${number} is late.`;
};

const textOf = (message) => {
  const content = message?.content ?? "";
  return typeof content === "string" ? content : content.map((part) => part.text ?? "").join("");
};

const answer = (messages) => {
  const at = messages.findLastIndex(({ role }) => role === "user");
  const after = messages.slice(at + 1);
  const step = after.filter(({ role }) => role === "assistant").length;
  const result = textOf(after.findLast(({ role }) => role === "tool"));
  for (const [pattern, rule] of RULES) {
    const found = pattern.exec(textOf(messages[at]));
    if (found !== null) return rule(step, result, found[1]);
  }
  return say("I am a stand-in for a model, and know the sentences of one page.");
};

const answerRequest = async (req, res) => {
  if (req.method !== "POST") return res.end('{"object":"list","data":[]}');
  const { model, messages } = await json(req);
  const { words, calls } = answer(messages);
  const send = (choices, more) => res.write(`data: ${JSON.stringify({ id: "1", model, choices, ...more })}\n\n`);
  const delta = (part) => send([{ index: 0, delta: part, finish_reason: null }]);
  res.writeHead(200, { "content-type": "text/event-stream" });
  for (const word of words.split(/(?<= )/)) delta({ content: word });
  for (const [index, { name, input }] of calls.entries()) {
    const id = `call_${messages.length}`;
    delta({ tool_calls: [{ index, id, type: "function", function: { name, arguments: JSON.stringify(input) } }] });
  }
  send([{ index: 0, delta: {}, finish_reason: calls.length > 0 ? "tool_calls" : "stop" }]);
  const counted = {
    prompt_tokens: JSON.stringify(messages).length >> 2,
    completion_tokens: JSON.stringify([words, calls]).length >> 2,
  };
  send([], { usage: counted });
  return res.end("data: [DONE]\n\n");
};

const server = createServer((req, res) => void answerRequest(req, res).catch(() => res.destroy()));

server.listen(Number(process.argv[2] ?? 7430), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${server.address().port}/v1`);
});
