/**
 * For tests: a model that speaks Anthropic's wire and the OpenAI-compatible one over real HTTP and answers what it was
 * told to. `url` is the base URL for both. A process of its own is test/fixtures/model-stub.mjs.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { keepRequest } from "./stub-request-for-tests.ts";
import type { StubRequest, StubScript, StubTurn } from "./stub-turn-for-tests.ts";
import { errorBody, writeAnthropic, writeOpenAI, type StubWire } from "./stub-wires-for-tests.ts";

const WIRES: Readonly<Record<string, StubRequest["wire"]>> = {
  "/v1/messages": "anthropic",
  "/v1/chat/completions": "openai",
};

type Kept = ReturnType<typeof keepRequest>;

export class ModelStub {
  /** Known once it listens. */
  url = "";
  readonly #requests: Kept[] = [];
  readonly #http: Server = createServer((req, res) => void this.#answer(req, res).catch(() => res.destroy()));
  #script: StubScript = [];
  #used = 0;
  #calls = 0;
  readonly #waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  async listen(port = 0): Promise<void> {
    this.#http.listen(port, "127.0.0.1");
    await once(this.#http, "listening");
    this.url = `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}/v1`;
  }

  /** Answers from now on; what was scripted before is forgotten. */
  script(script: StubScript): void {
    this.#script = script;
    this.#used = 0;
  }

  /** All that came, in order. */
  requests(): readonly StubRequest[] {
    return this.#requests;
  }

  /** Until so many requests have come, counted from the start. */
  arrived(count: number): Promise<void> {
    if (this.#requests.length >= count) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ count, resolve }));
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#http.close(() => resolve());
      this.#http.closeAllConnections();
    });
  }

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const path = new URL(req.url ?? "/", "http://stub").pathname;
    const body = await readText(req);
    if (path === "/control/script") {
      this.script(JSON.parse(body) as StubTurn[]);
      return void res.writeHead(204).end();
    }
    if (path === "/control/requests") return sendJson(res, 200, this.#requests);
    const wire = WIRES[path];
    if (wire === undefined) return sendJson(res, 404, errorBody("openai", "not_found_error", `no route ${path}`));
    const request = keepRequest({ wire, path, headers: req.headers, body: JSON.parse(body) as Kept["body"] });
    res.once("close", () => (request.left = !res.writableFinished));
    await this.#send(res, request, this.#take(request));
  }

  #take(request: Kept): StubTurn {
    const index = this.#requests.push(request) - 1;
    for (const { count, resolve } of this.#waiting) if (count <= this.#requests.length) resolve();
    if (typeof this.#script === "function") return ask(this.#script, request, index);
    const last = this.#script.at(-1);
    const turn = this.#script[this.#used++] ?? (last?.forever === true ? last : undefined);
    return turn ?? { error: { status: 400, message: "The stub has no turn left for this request." } };
  }

  async #send(res: ServerResponse, request: Kept, turn: StubTurn): Promise<void> {
    const { error, fault } = turn;
    if (error === "reset") return void res.destroy();
    if (error === "hang") return;
    if (error !== undefined) {
      const { status, headers, type = "invalid_request_error", message = "no", body } = error;
      return sendJson(res, status, body ?? errorBody(request.wire, type, message), headers);
    }
    const wire = request.wire === "anthropic" ? writeAnthropic() : writeOpenAI();
    res.writeHead(200, { "content-type": "text/event-stream", "request-id": "req_stub" });
    res.write(wire.open(String(request.body["model"]), turn));
    if (turn.reasoning !== undefined) res.write(wire.reasoning(turn.reasoning));
    await sendText(res, wire, turn.text ?? []);
    res.write(wire.calls((turn.calls ?? []).map((call) => this.#name(call))) || ": nothing\n\n");
    if (fault !== undefined) return sendFault(res, wire, fault);
    const finish = turn.finish ?? ((turn.calls ?? []).length > 0 ? "tool-calls" : "stop");
    res.end(wire.close(finish, turn.usage === undefined ? { input: 10, output: 5 } : turn.usage));
  }

  #name({ id = `call_${++this.#calls}`, name, input = {}, inputText }: NonNullable<StubTurn["calls"]>[number]) {
    return { id, name, inputText: inputText ?? JSON.stringify(input) };
  }
}

export const startModelStub = async (script: StubScript = [], port = 0): Promise<ModelStub> => {
  const stub = new ModelStub();
  stub.script(script);
  await stub.listen(port);
  return stub;
};

/** A script that throws is seen as what the model answers. */
const ask = (script: Extract<StubScript, (...args: never[]) => unknown>, request: Kept, index: number): StubTurn => {
  try {
    return script(request, index);
  } catch (error) {
    return { error: { status: 400, message: `The stub's script failed: ${String(error)}` } };
  }
};

const sendJson = (
  res: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void => {
  const isText = typeof body === "string";
  res.writeHead(status, { "content-type": isText ? "text/html" : "application/json", ...headers });
  res.end(isText ? body : JSON.stringify(body));
};

const sendText = async (res: ServerResponse, wire: StubWire, text: NonNullable<StubTurn["text"]>): Promise<void> => {
  for (const piece of typeof text === "string" ? [text] : text) {
    if (typeof piece === "string") res.write(wire.text(piece));
    else await (typeof piece === "number" ? sleep(piece) : piece);
    if (res.destroyed) return;
  }
};

const sendFault = async (res: ServerResponse, wire: StubWire, fault: NonNullable<StubTurn["fault"]>): Promise<void> => {
  if (fault === "hang") return;
  if (fault === "end") return void res.end();
  if (fault === "malformed") return void res.end('data: {"type":"content_block_de\n\n');
  if (fault !== "cut") return void res.end(wire.error(fault.type, fault.message));
  // What was written goes out first.
  await new Promise((resolve) => res.write(": cut\n\n", resolve));
  await sleep(50);
  res.destroy();
};
