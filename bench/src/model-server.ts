/**
 * The smallest model there can be, so that what is measured is what stands before it. It calls the tool `echo__echo` with what
 * stands in `echo(…)` of a message, answers with what a tool gave, and any other message with `ok` at once. It speaks the
 * OpenAI-compatible wire; a GET tells the last two bodies that it was sent. Argument: its port.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

interface Asked {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

const TOOL = "echo__echo";
const ECHO = /\becho\(([^)]*)\)/;
let calls = 0;
const lastBodies: string[] = [];

const chunk = (model: string, members: object): string =>
  `data: ${JSON.stringify({ id: "chat", object: "chat.completion.chunk", created: 0, model, ...members })}\n\n`;

const delta = (model: string, part: object, end: string | null = null): string =>
  chunk(model, { choices: [{ index: 0, delta: part, finish_reason: end }] });

const textOf = (content: unknown): string => (typeof content === "string" ? content : JSON.stringify(content));

/** As it is answered: the text, or the argument of the call. */
const decide = ({ messages }: Asked): { readonly said: string } | { readonly echo: string } => {
  const last = messages.at(-1);
  if (last?.role === "tool") return { said: textOf(last.content) };
  const [, echo] = ECHO.exec(textOf(last?.content ?? "")) ?? [];
  return echo === undefined ? { said: "ok" } : { echo };
};

const write = (asked: Asked): readonly string[] => {
  const { model } = asked;
  const answer = decide(asked);
  const usage = chunk(model, { choices: [], usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } });
  if ("said" in answer) {
    const first = delta(model, { role: "assistant", content: answer.said });
    return [first, delta(model, {}, "stop"), usage, "data: [DONE]\n\n"];
  }
  const call = { name: TOOL, arguments: JSON.stringify({ text: answer.echo }) };
  const tool = { index: 0, id: `call_${++calls}`, type: "function", function: call };
  return [
    delta(model, { role: "assistant", tool_calls: [tool] }),
    delta(model, {}, "tool_calls"),
    usage,
    "data: [DONE]\n\n",
  ];
};

const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
  const body = await text(req);
  if (lastBodies.push(body) > 2) lastBodies.shift();
  res.writeHead(200, { "content-type": "text/event-stream" });
  for (const part of write(JSON.parse(body) as Asked)) res.write(part);
  res.end();
};

createServer((req, res) => {
  if (req.method === "GET") res.end(JSON.stringify(lastBodies));
  else void answer(req, res);
}).listen(Number(process.argv[2]), "127.0.0.1");
