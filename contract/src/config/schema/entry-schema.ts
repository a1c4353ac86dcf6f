/**
 * One element of `bundles`, with the fields of all three kinds. Which of them belong together is checked apart, so that
 * every fault of an entry is reported and not only the first.
 */
import * as z from "zod/mini";
import { PROVIDER_NAME } from "../../provider-name.ts";
import {
  flag,
  header,
  headers,
  integer,
  line,
  MAX_MS,
  path,
  url,
  variableNames,
  variables,
  withDefault,
} from "./basics.ts";
import { sandboxSchema } from "./sandbox-schema.ts";

const SERVER_NAME = "expected 1 to 48 characters a-z, 0-9 and -, not beginning with -";
const EXACT_VERSION = /^[0-9]+\.[0-9]+\.[0-9]+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;

const authSchema = z.discriminatedUnion(
  "type",
  [
    z.object({ type: z.literal("none") }),
    z.object({ type: z.literal("bearer"), token: header.value }),
    z.object({ type: z.literal("header"), name: header.name, value: header.value }),
    z.object({
      type: z.literal("oauth"),
      grant: withDefault(z.enum(["authorization_code", "client_credentials"]), "authorization_code"),
      clientId: z.optional(line),
      clientSecret: z.optional(z.string()),
      scopes: withDefault(z.array(line), []),
    }),
  ],
  { error: 'expected an object with type "none", "bearer", "header" or "oauth"' },
);

const transportSchema = z.object({
  type: z.optional(z.enum(["streamable-http", "sse"])),
  auth: withDefault(authSchema, { type: "none" }),
  headers,
  reconnection: z.prefault(
    z.object({
      initialReconnectionDelay: withDefault(integer(0, MAX_MS), 1000),
      maxReconnectionDelay: withDefault(integer(1, MAX_MS), 30_000),
      maxRetries: withDefault(z.nullable(integer(0)), null),
    }),
    {},
  ),
  sessionId: z.optional(z.string()),
});

const USER_VALUE = "expected a string, a number, a boolean or a list of strings";
const userValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())], { error: USER_VALUE });

const SANDBOX = 'expected "off", "bwrap" or an object with a profile';
const TRUST = "expected a number from 0 to 100, or null";

export const entrySchema = z.object({
  name: z.optional(line),
  path: z.optional(path),
  url: z.optional(url),
  serverName: z.optional(z.string({ error: SERVER_NAME }).check(z.regex(PROVIDER_NAME, { error: SERVER_NAME }))),
  version: z.optional(
    z
      .string()
      .check(z.regex(EXACT_VERSION, { error: 'expected one exact version, such as "1.4.2"; ranges are refused' })),
  ),
  env: variables,
  userConfig: withDefault(z.record(line, userValue), {}),
  allowedEnv: variableNames,
  args: withDefault(z.array(z.string()), []),
  transport: z.prefault(transportSchema, {}),
  protected: flag(false),
  trustScore: withDefault(z.nullable(z.number().check(z.gte(0, { error: TRUST }), z.lte(100, { error: TRUST }))), null),
  ui: withDefault(
    z.nullable(z.object({ name: line, icon: line, primaryView: z.optional(z.object({ resourceUri: line })) })),
    null,
  ),
  hostExtensions: z.optional(z.array(line)),
  sandbox: z.optional(z.union([z.enum(["off", "bwrap"]), sandboxSchema], { error: SANDBOX })),
  pinning: withDefault(z.enum(["hold", "warn", "off"]), "hold"),
  isolation: z.optional(z.enum(["shared", "principal"])),
  concurrency: withDefault(integer(1, 10_000), 32),
  timeoutMs: withDefault(integer(1, MAX_MS), 60_000),
  maxTimeoutMs: withDefault(integer(1, MAX_MS), 1_800_000),
  enabled: flag(true),
});
