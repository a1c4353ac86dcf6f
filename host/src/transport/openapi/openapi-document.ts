/**
 * The OpenAPI 3.1 document of the API, made of the table of routes and of what is said about each. Statuses and codes come
 * from the closed table of refusals.
 */
import { REFUSALS, type RefusalKind } from "../../kernel/refusals.ts";
import { APPROVALS } from "./approval-family.ts";
import { BUNDLES } from "./bundle-family.ts";
import { CAPABILITIES } from "./capability-family.ts";
import { CHAT } from "./chat-family.ts";
import { CONVERSATIONS } from "./conversation-family.ts";
import type { Described, DescribedAnswer, Family } from "./described.ts";
import { ENVIRONMENT } from "./environment-family.ts";
import { EVIDENCE } from "./evidence-family.ts";
import { FILES } from "./file-family.ts";
import { HOST } from "./host-family.ts";
import { KEYS } from "./key-family.ts";
import { anyObject, object, orNull, ref, said, text, time, type Schema } from "./schema.ts";
import { TOOLS } from "./tool-family.ts";

const FAMILIES: readonly Family[] = [
  HOST,
  CHAT,
  CONVERSATIONS,
  TOOLS,
  CAPABILITIES,
  BUNDLES,
  ENVIRONMENT,
  APPROVALS,
  EVIDENCE,
  FILES,
  KEYS,
];

const ERROR = object({
  error: { type: "string", enum: [...Object.keys(REFUSALS), "internal"] },
  message: text,
  remedy: said("The exact next step"),
  "data?": said("The same object as in an error of MCP", anyObject),
});
const PENDING: Schema = {
  allOf: [ref("Error"), object({ approvalId: text, digest: orNull(text), expiresAt: orNull(time) })],
};
const SCHEMAS: Schema = Object.fromEntries([
  ["Error", ERROR],
  ["Pending", PENDING],
  ...FAMILIES.flatMap(({ schemas = {} }) => Object.entries(schemas)),
]);
const ANYWHERE: readonly RefusalKind[] = ["bad_host", "bad_origin", "not_found", "not_ready"];
const WITH_BODY: readonly RefusalKind[] = ["bad_request", "unsupported_type", "too_large"];

const COMPONENTS = {
  securitySchemes: {
    bearer: { type: "http", scheme: "bearer", description: "A key of this host, or a token of its issuer" },
    session: {
      type: "apiKey",
      in: "cookie",
      name: "bw_session",
      description: 'From POST /v1/auth/login. What changes something needs the header "X-Bailiwick: 1" too.',
    },
  },
  parameters: {
    Workspace: {
      name: "X-Workspace-Id",
      in: "header",
      description: "Another workspace of which the caller is a member; absent: the credential's own",
      schema: text,
    },
    Marked: {
      name: "X-Bailiwick",
      in: "header",
      description: "Needed where the cookie is the credential",
      schema: { const: "1" },
    },
  },
  schemas: SCHEMAS,
};

/** By the keys of the table of routes. */
export const DESCRIBED: ReadonlyMap<string, Described & { readonly tag: string }> = new Map(
  FAMILIES.flatMap(({ tag, routes }) => Object.entries(routes).map(([key, it]) => [key, { ...it, tag }])),
);

/** Of the routes that there are, so that none is told of that there is not. */
export const openApiDocument = (routes: Iterable<string>, { version }: { readonly version: string }): object => {
  const paths: Record<string, Record<string, object>> = {};
  for (const key of routes) {
    const it = DESCRIBED.get(key);
    if (it === undefined) continue;
    const [method = "", pattern = ""] = key.split(" ");
    (paths[pathOf(pattern, it)] ??= {})[method.toLowerCase()] = operationOf(it, it.tag, method === "GET");
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Bailiwick",
      version,
      description: "The API of a capability host. MCP clients connect to /mcp, which is not described here.",
    },
    servers: [{ url: "/" }],
    security: [{ bearer: [] }, { session: [] }],
    tags: FAMILIES.map(({ tag }) => ({ name: tag })),
    paths,
    components: COMPONENTS,
  };
};

const pathOf = (pattern: string, { at = [] }: Described): string => {
  const names = [...at];
  return pattern.replace(/\*{1,2}/g, () => `{${names.shift() ?? "argument"}}`);
};

const operationOf = (it: Described, tag: string, isRead: boolean): object => ({
  operationId: it.id,
  tags: [tag],
  summary: it.summary,
  ...(it.description === undefined ? {} : { description: it.description }),
  ...(it.open ? { security: [{}, { bearer: [] }, { session: [] }] } : {}),
  parameters: parametersOf(it, isRead),
  ...(it.body === undefined
    ? {}
    : {
        requestBody: {
          required: it.body.isOptional !== true,
          content: { [it.body.type ?? "application/json"]: { schema: it.body.schema } },
        },
      }),
  responses: { ...refusedOf(it), ...answersOf(it.answers) },
});

const parametersOf = ({ at = [], query = {}, headers = {} }: Described, isRead: boolean): readonly object[] => [
  ...at.map((name) => ({ name, in: "path", required: true, schema: text })),
  ...Object.entries(query).map(([name, schema]) => ({ name, in: "query", schema })),
  ...Object.entries(headers).map(([name, schema]) => ({ name, in: "header", schema })),
  { $ref: "#/components/parameters/Workspace" },
  ...(isRead ? [] : [{ $ref: "#/components/parameters/Marked" }]),
];

const answersOf = (answers: readonly DescribedAnswer[]): Record<string, object> =>
  Object.fromEntries(
    answers.map(({ status = 200, text: description, schema, type = "application/json" }) => [
      String(status),
      { description, ...(schema === undefined ? {} : { content: { [type]: { schema } } }) },
    ]),
  );

const refusedOf = ({ body, query, headers, refusals = [], open }: Described): Record<string, object> => {
  const reads =
    body !== undefined ? WITH_BODY : query !== undefined || headers !== undefined ? WITH_BODY.slice(0, 1) : [];
  const kinds = new Set([...(open ? [] : (["unauthenticated"] as const)), ...ANYWHERE, ...reads, ...refusals]);
  const byStatus = Map.groupBy(kinds, (kind) => REFUSALS[kind].rest);
  return Object.fromEntries(
    [...byStatus].map(([status, of]) => [String(status), refused(of, status === 202 ? "Pending" : "Error")]),
  );
};

const refused = (kinds: readonly RefusalKind[], schema: "Error" | "Pending"): object => ({
  description: kinds.join(", "),
  content: { "application/json": { schema: ref(schema) } },
});
