/**
 * The whole file. An object here ignores unknown keys with a warning, a strict object refuses them; which is which is said
 * by the schema alone. Import is on the way to the first listening socket: nothing here may do more than build schemas.
 */
import * as z from "zod/mini";
import { agentKeys } from "./agent-schema.ts";
import {
  cidr,
  flag,
  integer,
  line,
  lines,
  MAX_BYTES,
  MAX_MS,
  MAX_SECONDS,
  origin,
  path,
  port,
  url,
  withDefault,
} from "./basics.ts";
import { entrySchema } from "./entry-schema.ts";
import {
  approvalsSchema,
  authSchema,
  capabilitiesSchema,
  chpSchema,
  evidenceSchema,
  hostSchema,
  policySchema,
} from "./governance-schema.ts";
import { sandboxSchema } from "./sandbox-schema.ts";

const registry = z.discriminatedUnion(
  "type",
  [
    z.object({ type: z.literal("dir"), path }),
    z.object({ type: z.literal("mpak"), url }),
    z.object({ type: z.literal("mcp"), url }),
  ],
  { error: 'expected an object with type "dir", "mpak" or "mcp"' },
);

const storage = z.discriminatedUnion(
  "type",
  [z.object({ type: z.literal("embedded") }), z.object({ type: z.literal("postgres"), url: z.string() })],
  { error: 'expected an object with type "embedded" or "postgres"' },
);

const http = z.object({
  host: withDefault(line, "127.0.0.1"),
  port: withDefault(port, 7420),
  sandboxPort: withDefault(port, 7421),
  publicOrigin: z.optional(origin),
  sandboxOrigin: z.optional(origin),
  allowedHosts: lines,
});

/** A file passes through a call whole, in base64, which no string holds of many more. */
const MAX_FILE_BYTES = 268_435_456;

const files = z.object({
  maxFileSize: withDefault(integer(1, MAX_FILE_BYTES), 26_214_400),
  maxWorkspaceSize: withDefault(integer(1), 1_073_741_824),
  maxFiles: withDefault(integer(1), 10_000),
});

const hostResources = z.strictObject({
  enabled: flag(true),
  ratePerSecond: withDefault(integer(1), 100),
  burst: withDefault(integer(1), 1000),
  maxReadBytes: withDefault(integer(1, MAX_BYTES), 10_485_760),
});

const DELAYS = "expected a list of at least one delay in milliseconds";
const restart = z.object({
  maxCrashes: withDefault(integer(1, 1000), 5),
  windowSeconds: withDefault(integer(1, MAX_SECONDS), 60),
  delaysMs: withDefault(
    z.array(integer(0, MAX_MS), { error: DELAYS }).check(z.minLength(1, { error: DELAYS })),
    [0, 1000, 2000, 4000, 8000],
  ),
  resetAfterSeconds: withDefault(integer(1, MAX_SECONDS), 30),
});

const mcp = z.object({
  maxRequestBytes: withDefault(integer(1024, MAX_BYTES), 4_194_304),
  maxMessageBytes: withDefault(integer(1024, MAX_BYTES), 67_108_864),
  maxResultBytes: withDefault(integer(1024, MAX_BYTES), 10_000_000),
  maxToolNameLength: withDefault(integer(16, 1024), 64),
  holdSeconds: withDefault(integer(1, MAX_SECONDS), 600),
  sessionIdleSeconds: withDefault(integer(1, MAX_SECONDS), 1800),
  allowedOrigins: withDefault(z.array(origin), []),
});

export const configSchema = z.object({
  $schema: z.optional(z.string()),
  version: withDefault(z.literal("1"), "1"),
  workDir: z.optional(path),
  http: z.prefault(http, {}),
  bundles: withDefault(z.array(entrySchema), []),
  noDefaultBundles: flag(false),
  registries: withDefault(z.array(registry), [{ type: "mpak", url: "https://registry.mpak.dev" }]),
  files: z.prefault(files, {}),
  hostResources: z.prefault(hostResources, {}),
  manifestProfile: withDefault(z.enum(["strict", "tolerant"]), "strict"),
  restart: z.prefault(restart, {}),
  sandbox: z.prefault(sandboxSchema, {}),
  allowInsecureRemotes: flag(false),
  allowPrivateRemotes: withDefault(z.array(cidr), []),
  host: z.prefault(hostSchema, {}),
  capabilities: z.prefault(capabilitiesSchema, {}),
  policy: z.prefault(policySchema, {}),
  approvals: z.prefault(approvalsSchema, {}),
  evidence: z.prefault(evidenceSchema, {}),
  auth: z.prefault(authSchema, {}),
  chp: z.prefault(chpSchema, {}),
  storage: withDefault(storage, { type: "embedded" }),
  mcp: z.prefault(mcp, {}),
  logging: z.prefault(
    z.object({
      level: withDefault(z.enum(["normal", "debug"]), "normal"),
      dir: z.optional(path),
      retentionDays: z.optional(integer(1, 36_500)),
    }),
    {},
  ),
  ...agentKeys,
});
