/**
 * `GET /v1/apps/:name/resources/…`: one resource of a bundle as JSON, read over the one call path. It is never served as a
 * page: on this origin that would run the bundle's code as the person who looks.
 */
import { Refusal } from "../kernel/refusal.ts";
import { itemsOf, memberOf, sliceJson } from "../kernel/scan-json.ts";
import type { CallFromRest } from "./call-from-rest.ts";
import type { ListenerDeps } from "./listener-deps.ts";
import { plainParams } from "./plain-params.ts";
import { isObject } from "./protocol.ts";
import { restAnswer } from "./rest-answer.ts";
import type { RestAsk, RestRoute } from "./rest-route.ts";
import { seesBundle, unseenBundle } from "./sees-bundle.ts";

const PRIMARY = "primary";

export const createAppResource = (deps: ListenerDeps, callPath: CallFromRest): RestRoute["run"] => {
  /** By the word `primary` the bundle's own first view is meant, else the URI as it knows it. */
  const uriOf = ({ caller, argument, rest }: RestAsk): string => {
    if (!seesBundle(caller.principal, argument, deps.surfaces)) throw unseenBundle(argument);
    if (rest !== PRIMARY) return rest;
    const app = deps.bundles.list(caller.principal.workspace).find(({ name }) => name === argument);
    const view: { primaryView?: { resourceUri?: unknown } } | null | undefined = app?.ui;
    const uri = view?.primaryView?.resourceUri;
    if (typeof uri === "string") return uri;
    throw notThere(argument, "a primary view");
  };

  return async (ask) => {
    const uri = uriOf(ask);
    const params = plainParams(uri, {}, null);
    const answer = await callPath(ask, { operation: "read", provider: ask.argument, params });
    if (answer.ending.kind !== "result") return restAnswer(deps, answer);
    return { status: 200, text: contentOf(answer.ending.json, uri) ?? fail(ask.argument, uri) };
  };
};

/** The item of this URI, else the first, as the server wrote it. */
const contentOf = (result: string, uri: string): string | null => {
  const contents = memberOf(result, "contents");
  if (contents === null || result[contents.start] !== "[") return null;
  const items = itemsOf(result, contents.start).map((span) => sliceJson(result, span));
  const isAsked = (item: string): boolean => {
    const value: unknown = JSON.parse(item);
    return isObject(value) && value["uri"] === uri;
  };
  return items.find(isAsked) ?? items[0] ?? null;
};

const fail = (bundle: string, uri: string): never => {
  throw notThere(bundle, `any content of ${JSON.stringify(uri.slice(0, 256))}`);
};

const notThere = (bundle: string, what: string): Refusal =>
  new Refusal("not_found", {
    message: `${bundle.slice(0, 64)} does not have ${what}.`,
    next: "List its resources over /mcp (resources/list) and ask for one of those URIs.",
  });
