import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { REFUSALS } from "../../kernel/refusals.ts";
import { JSON_HEADERS, knock } from "../client-for-tests.ts";
import { openTestDoor, type TestDoor } from "../door-for-tests.ts";
import { Logins } from "../logins.ts";
import type { RestParts } from "../rest-parts.ts";
import { createRestRoutes } from "../rest-routes.ts";
import { DESCRIBED, openApiDocument } from "./openapi-document.ts";

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly security?: readonly object[];
  readonly parameters: readonly { readonly name?: string; readonly in?: string; readonly required?: boolean }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object }>> };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
}
type Content = Readonly<Record<string, { readonly schema: object }>>;
interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly tags: readonly { readonly name: string }[];
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

/** The routes are only named, never asked. */
const keys = [...createRestRoutes({ deps: { limits: {} }, logins: new Logins() } as unknown as RestParts).keys()];
const document = openApiDocument(keys, { version: "1.2.3" }) as Document;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

/** `GET /v1/apps/{name}` as the table of routes has it. */
const keyOf = (method: string, path: string): string =>
  `${method.toUpperCase()} ${path.replace("/resources/{uri}", "/resources/**").replaceAll(/\{\w+\}/g, "*")}`;

const refsIn = (value: unknown): string[] => {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => (key === "$ref" ? [String(each)] : refsIn(each)));
};

const resolve = (pointer: string): unknown =>
  pointer
    .slice(2)
    .split("/")
    .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], document);

const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema({ $id: "doc:", ...document });
const validatorOf = (schema: object) =>
  ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"doc:#/components')) as object);

let door: TestDoor;
beforeAll(async () => {
  door = await openTestDoor();
});
afterAll(() => door.listener.close());

describe("the description of the API", () => {
  it("has every route that there is, and no other", () => {
    const described = operations.map(({ path, method }) => keyOf(method, path));
    expect(described.toSorted()).toEqual(keys.toSorted());
    expect([...DESCRIBED.keys()].filter((key) => !keys.includes(key))).toEqual([]);
  });

  it("says nothing of a route that this host does not have", () => {
    const small = openApiDocument(["GET /v1/health"], { version: "1" }) as Document;
    expect(Object.keys(small.paths)).toEqual(["/v1/health"]);
  });

  it("names each operation once, in words, under a tag that is listed", () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const tags = document.tags.map(({ name }) => name);
    for (const { operation } of operations) {
      expect(operation.operationId).toMatch(/^[a-z][A-Za-z]+$/);
      expect(operation.summary).not.toBe("");
      expect(tags).toEqual(expect.arrayContaining([...operation.tags]));
    }
  });

  it("declares what stands in each path", () => {
    for (const { path, operation } of operations) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const declared = operation.parameters.filter((each) => each.in === "path");
      expect(declared.map(({ name }) => name)).toEqual(inPath);
      expect(declared.every(({ required }) => required)).toBe(true);
    }
  });

  it("has no reference that leads nowhere, and no schema that nothing uses", () => {
    const refs = refsIn(document);
    expect(refs.filter((each) => resolve(each) === undefined)).toEqual([]);
    const schemas = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
    expect(schemas.filter((each) => !refs.includes(each))).toEqual([]);
  });

  it("has schemas that are JSON Schema", () => {
    const contents = operations.flatMap(({ operation: { requestBody, responses } }) => [
      ...Object.values(requestBody?.content ?? {}),
      ...Object.values(responses).flatMap(({ content = {} }) => Object.values(content)),
    ]);
    const distinct = new Map(contents.map(({ schema }) => [JSON.stringify(schema), schema]));
    for (const schema of distinct.values()) expect(() => validatorOf(schema)).not.toThrow();
  });

  it("says of each what it answers and that it may ask for a key, and invents no status", () => {
    const statuses = new Set(Object.values(REFUSALS).map(({ rest }) => String(rest)));
    for (const { operation } of operations) {
      const said = Object.keys(operation.responses);
      expect(said.some((status) => status.startsWith("2"))).toBe(true);
      expect(said.filter((status) => !/^20[0-4]$/.test(status) && !statuses.has(status))).toEqual([]);
      if (operation.security === undefined) expect(said).toContain("401");
    }
  });

  it("marks as open what answers without a key, and nothing else", async () => {
    for (const { path, method, operation } of operations) {
      const at = path.replaceAll(/\{\w+\}/g, "x");
      const said = await knock(door.origin, { method: method.toUpperCase(), path: at, headers: {} });
      const isAsked = said.status === 401 && said.json.error === "unauthenticated";
      expect([method, path, isAsked]).toEqual([method, path, operation.security === undefined]);
    }
  });
});

describe("over HTTP", () => {
  it("needs a key and is the same document", async () => {
    expect((await knock(door.origin, { method: "GET", path: "/v1/openapi.json", headers: {} })).status).toBe(401);
    const said = await knock(door.origin, { method: "GET", path: "/v1/openapi.json" });
    expect(said.json.openapi).toBe("3.1.0");
    expect(Object.keys(said.json.paths)).toEqual(Object.keys(document.paths));
  });

  it.each([
    ["GET", "/v1/health", "/v1/health"],
    ["GET", "/v1/auth/session", "/v1/auth/session"],
    ["GET", "/v1/tools", "/v1/tools"],
    ["GET", "/v1/apps", "/v1/apps"],
    ["GET", "/v1/apps/p", "/v1/apps/{name}"],
    ["GET", "/v1/providers", "/v1/providers"],
    ["GET", "/v1/approvals", "/v1/approvals"],
    ["GET", "/v1/standing-approvals", "/v1/standing-approvals"],
    ["GET", "/v1/evidence", "/v1/evidence"],
    ["GET", "/v1/keys", "/v1/keys"],
    ["GET", "/v1/host-key", "/v1/host-key"],
    ["GET", "/v1/policy", "/v1/policy"],
    ["GET", "/v1/skills", "/v1/skills"],
    ["GET", "/v1/roots", "/v1/roots"],
    ["GET", "/v1/host/capabilities", "/v1/host/capabilities"],
    ["POST", "/v1/apps/p/start", "/v1/apps/{name}/start"],
    ["GET", "/v1/apps/none", "/v1/apps/{name}"],
    ["POST", "/v1/tools/call", "/v1/tools/call"],
  ])("the answer to %s %s is as described", async (method, path, described) => {
    const said = await knock(door.origin, { method, path, headers: JSON_HEADERS });
    const answer = document.paths[described]?.[method.toLowerCase()]?.responses[said.status];
    const schema = answer?.content?.["application/json"]?.schema;
    const isValid = schema ? validatorOf(schema) : null;
    expect([said.status, isValid?.(said.json), isValid?.errors]).toEqual([said.status, true, null]);
  });
});
