/** A client of either era that sends and reads plain text over HTTP, and answers what it is asked. */
import { request, type IncomingHttpHeaders, type IncomingMessage } from "node:http";

export interface WireRequest {
  readonly method: string;
  /** The members of params as text, without `_meta`. */
  readonly params: string;
  /** What `Mcp-Name` says in the modern era. */
  readonly name?: string;
  /** More members of `_meta` as text. */
  readonly meta?: string;
}

export interface Heard {
  /** The text of `result` or of `error`, with the member's name before it. */
  readonly said: string;
  readonly notices: readonly string[];
  /** Legacy: each question's method and params. Modern: each round's `inputRequests`. */
  readonly asked: readonly string[];
}

/**
 * The member that answers the nth question, counted from 0, as text: `"result":…`, or to a legacy server also `"error":…`.
 * `asked` is the message that brought it.
 */
export type AnswerNth = (nth: number, asked: string) => string;

export type Talk = (request: WireRequest, answer: AnswerNth) => Promise<Heard>;

const ID = '"\\u0069d"';
const HEAD = `{"jsonrpc":"2.0","id":${ID},`;
const CAPABILITIES = '{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}},"roots":{}}';
const MODERN = "2026-07-28";
const LEGACY = "2025-11-25";

const headersOf = (key: string): Record<string, string> => ({
  Authorization: `Bearer ${key}`,
  "Content-Type": "application/json",
  Accept: "application/json, text/event-stream",
});

interface Sent {
  readonly headers: IncomingHttpHeaders;
  /** What came, in order, while `hear` was told each message at once. */
  readonly messages: readonly string[];
}

interface Order {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly hear?: (message: string) => void;
}

const send = ({ url, headers, body, hear = () => {} }: Order): Promise<Sent> =>
  new Promise((resolve, reject) => {
    const outgoing = request(url, { method: "POST", headers }, (response) => {
      const messages: string[] = [];
      const take = (message: string): void => {
        messages.push(message);
        hear(message);
      };
      const rest = readMessages(response, take);
      response.on("error", reject).on("end", () => {
        if (rest() !== "") take(rest());
        resolve({ headers: response.headers, messages });
      });
    });
    outgoing.on("error", reject).end(body);
  });

/** Returns what is left at the end: the whole body when it is no stream. An event without data only names a place. */
const readMessages = (response: IncomingMessage, take: (message: string) => void): (() => string) => {
  const stream = response.headers["content-type"]?.startsWith("text/event-stream") === true;
  let rest = "";
  response.setEncoding("utf8").on("data", (text: string) => {
    rest += text;
    if (!stream) return;
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("data: ") && line !== "data: ") take(line.slice("data: ".length));
  });
  return () => rest;
};

const saidIn = (message: string | undefined): string =>
  message?.startsWith(HEAD) ? message.slice(HEAD.length, -1) : `no answer: ${message}`;

const bodyOf = ({ method, params }: WireRequest, meta: readonly (string | undefined)[]): string => {
  const members = meta.filter((part) => part !== undefined).join(",");
  const all = [params, ...(members === "" ? [] : [`"_meta":{${members}}`])].filter((part) => part !== "");
  return `${HEAD}"method":"${method}","params":{${all.join(",")}}}`;
};

/** For itself, once a session; what servers ask here has other params. */
const HOST_ASKS_ROOTS = '"method":"roots/list","params":{}}';

export const openLegacyTalk = async (url: string, key: string): Promise<Talk> => {
  const params = `"protocolVersion":"${LEGACY}","capabilities":${CAPABILITIES},"clientInfo":{"name":"raw","version":"1"}`;
  const opened = await send({ url, headers: headersOf(key), body: bodyOf({ method: "initialize", params }, []) });
  const session = { "Mcp-Session-Id": String(opened.headers["mcp-session-id"]), "MCP-Protocol-Version": LEGACY };
  const headers = { ...headersOf(key), ...session };
  await send({ url, headers, body: '{"jsonrpc":"2.0","method":"notifications/initialized"}' });
  return async (asking, answer) => {
    const asked: string[] = [];
    const answers: Promise<Sent>[] = [];
    const hear = (message: string): void => {
      const { id, method } = JSON.parse(message) as { id?: unknown; method?: string };
      if (id === undefined || method === undefined) return;
      if (message.includes(HOST_ASKS_ROOTS)) {
        answers.push(
          send({ url, headers, body: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"roots":[]}}` }),
        );
        return;
      }
      const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},`;
      const body = `{"id":${JSON.stringify(id)}, ${answer(asked.length, message)} ,"jsonrpc":"2.0"}`;
      asked.push(message.startsWith(head) ? message.slice(head.length, -1) : message);
      answers.push(send({ url, headers, body }));
    };
    const { messages } = await send({ url, headers, body: bodyOf(asking, [asking.meta]), hear });
    await Promise.all(answers);
    const notices = messages.filter((message) => !message.startsWith('{"jsonrpc":"2.0","id":'));
    return { said: saidIn(messages.at(-1)), notices, asked };
  };
};

const STATE = /"requestState" ?: ?("bw1\.[\w-]+")/;

export const openModernTalk = (url: string, key: string): Promise<Talk> => {
  const envelope =
    `"io.modelcontextprotocol/protocolVersion":"${MODERN}","io.modelcontextprotocol/logLevel":"info",` +
    `"io.modelcontextprotocol/clientCapabilities":${CAPABILITIES}`;
  return Promise.resolve(async (asking, answer) => {
    const named: Record<string, string> = asking.name === undefined ? {} : { "Mcp-Name": asking.name };
    const headers = { ...headersOf(key), "MCP-Protocol-Version": MODERN, "Mcp-Method": asking.method, ...named };
    const notices: string[] = [];
    const asked: string[] = [];
    let nth = 0;
    for (let more = ""; ;) {
      const body = bodyOf({ ...asking, params: `${asking.params}${more}` }, [envelope, asking.meta]);
      const { messages } = await send({ url, headers, body });
      notices.push(...messages.slice(0, -1));
      const said = saidIn(messages.at(-1));
      const { result } = JSON.parse(`{${said}}`) as { result?: { resultType?: string; inputRequests: object } };
      if (result?.resultType !== "input_required") return { said, notices, asked };
      asked.push(said);
      const answers = Object.keys(result.inputRequests).map(
        (each) => `${JSON.stringify(each)}: ${bare(answer(nth++, said))}`,
      );
      more = `,"inputResponses":{ ${answers.join(" ,")} },"requestState":${STATE.exec(said)?.[1]}`;
    }
  });
};

const bare = (member: string): string => member.replace(/^"result":/, "");
