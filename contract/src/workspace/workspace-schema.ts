/**
 * `workspace.json`: what a workspace has of its own. Every key but `name` and `members` means what it means in the host's
 * file, so it is taken from there.
 */
import * as z from "zod/mini";
import { line, withDefault } from "../config/schema/basics.ts";
import { configSchema } from "../config/schema/config-schema.ts";

/** Names of keys, and subjects of tokens in their escaped form; both as `person:ann` and as `person://ann`. */
const MEMBER = /^(?:person|agent|service):(?:\/\/)?[A-Za-z0-9%][A-Za-z0-9._@%/-]{0,999}$/;
const EXPECTED =
  "expected a principal such as person:ann, agent:triage or service:billing, spelt as evidence and `bailiwick key list` spell it";
/** Names under which programs of many people act: as members they would let all of them in. */
const ANYBODYS = /^agent:(?:\/\/)?(?:mcp-client|local)$/;
const NAME_THE_PERSON = "this stands for everybody's MCP client; list the person, such as person:ann";

const member = z.string({ error: EXPECTED }).check(
  z.regex(MEMBER, { error: EXPECTED }),
  z.refine((text) => !ANYBODYS.test(text), { error: NAME_THE_PERSON }),
);

const shared = z.pick(configSchema, {
  bundles: true,
  noDefaultBundles: true,
  skillDirs: true,
  agents: true,
  identity: true,
  policy: true,
});

export const workspaceSchema = z.extend(shared, {
  name: z.optional(line),
  members: withDefault(z.array(member), []),
});
