/**
 * The documents of `capabilities://` as plain JSON: each is read over the one call path, as from any other door, and the body
 * is the document itself.
 */
import { HostError } from "../kernel/host-error.ts";
import { itemsOf, memberOf, sliceJson } from "../kernel/scan-json.ts";
import type { CallFromRest } from "./call-from-rest.ts";
import type { ListenerDeps } from "./listener-deps.ts";
import { plainParams } from "./plain-params.ts";
import { restAnswer } from "./rest-answer.ts";
import type { RestAsk, RestRoute } from "./rest-route.ts";
import type { JsonAnswer } from "./send-json.ts";

const FAMILY = "capabilities://";
/** What it tells is true of this moment and of this caller. */
const NOT_STORED = { "Cache-Control": "no-store" };

export const createCapabilityRoutes = (
  deps: Pick<ListenerDeps, "shape">,
  callPath: CallFromRest,
): [string, RestRoute][] => {
  const read = async (ask: RestAsk, path: string): Promise<JsonAnswer> => {
    const uri = `${FAMILY}${path}`;
    // Of no provider: one provider's own view of itself is another document.
    const answer = await callPath(ask, { operation: "read", provider: null, params: plainParams(uri, {}, null) });
    const { ending } = answer;
    const said =
      ending.kind === "result" ? { status: 200, text: documentOf(ending.json, uri) } : restAnswer(deps, answer);
    return { ...said, headers: { ...said.headers, ...NOT_STORED } };
  };
  return [
    ["GET /v1/capabilities", { run: (ask) => read(ask, "") }],
    ["GET /v1/capabilities/*", { run: (ask) => read(ask, ask.argument) }],
    ["GET /v1/capabilities/tools/*", { run: (ask) => read(ask, `tools/${ask.argument}`) }],
  ];
};

/** The text of the one content: the host's own, since no bundle may serve this scheme. */
const documentOf = (result: string, uri: string): string => {
  const contents = memberOf(result, "contents");
  const [first] = contents === null || result[contents.start] !== "[" ? [] : itemsOf(result, contents.start);
  const text = first === undefined || result[first.start] !== "{" ? null : memberOf(result, "text", first.start);
  if (text === null || result[text.start] !== '"') throw new HostError(`${uri} was read and is no text`);
  return JSON.parse(sliceJson(result, text)) as string;
};
