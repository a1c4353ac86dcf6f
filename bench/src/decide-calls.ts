/**
 * Asks stage 6 about the same few calls over and over and prints what a decision costs. Argument: how many rules there are
 * beside the shipped ones.
 */
import { importHost } from "./import-host.ts";

type Book = { capabilityOf(workspace: string, of: object): object };
type Decide = (call: object) => { readonly verdict: { readonly rule: string } };

const CALLS = 200_000;
const WARM_UP = 20_000;

const NAMES = ["refund", "read", "search", "export", "invite", "archive", "rename", "close", "assign", "remove"];

/** Every rule names other things than the one before; most are about none of the calls, some about all but the argument. */
const ruleOf = (index: number): object => {
  const id = `rule-${index}`;
  const amount = { path: "/amount", op: ">", value: 10_000 + index };
  switch (index % 6) {
    case 0:
      return { id, match: { tools: [`crm${index}__*`, `*__delete_${index}`] }, effect: "deny" };
    case 1:
      return { id, match: { principals: [`agent:other-${index}`, `service:batch-${index}-*`] }, effect: "deny" };
    case 2:
      return { id, match: { tools: ["billing__*"], arguments: [amount] }, effect: "require_approval" };
    case 3: {
      const arguments_ = [{ path: "/customer/region", op: "in", value: [`r${index}`, `s${index}`] }];
      return { id, match: { annotations: { destructiveHint: true }, arguments: arguments_ }, effect: "deny" };
    }
    case 4:
      return { id, match: { tools: ["*__export"], doors: ["rest"], principals: ["person:*"] }, effect: "deny" };
    default:
      return { id, match: { tools: [`billing__*`], principals: ["agent:*"], arguments: [amount] }, effect: "deny" };
  }
};

const POLICY = {
  mode: "enforce",
  shipped: true,
  guardrails: [],
  capabilities: {},
  classifications: ["public", "internal", "confidential", "restricted"],
};

const PRINCIPAL = {
  id: "person:ann",
  kind: "person",
  onBehalfOf: null,
  roles: [],
  permissions: [],
  assurance: "credential",
  scopes: null,
  workspace: "ws_default",
  credentialId: "key",
};

const status = (): object => ({ state: "running", version: "1.0.0", since: 0, reason: null, next: null });
const PROVIDER = { name: "billing", status };

const makeCalls = (book: Book): readonly object[] =>
  NAMES.map((name, index) => {
    const annotations = { destructiveHint: index % 2 === 0, readOnlyHint: index % 2 === 1 };
    const tool = { name, definition: "sha256:0", json: "{}", value: { name, annotations } };
    const flatName = `billing__${name}`;
    const capability = book.capabilityOf("ws_default", { provider: PROVIDER, tool, flatName });
    return {
      door: "chp",
      operation: "call",
      name: flatName,
      args: { amount: 100 + index, customer: { id: `c${index}`, region: "eu" }, reason: "a duplicate" },
      envelope: null,
      continues: null,
      principal: PRINCIPAL,
      target: { provider: PROVIDER, tool, flatName, capability, name, surface: "s" },
    };
  });

const [rules = "0"] = process.argv.slice(2);
const { createPolicyBook } = await importHost<{ createPolicyBook: (options: object) => Book }>(
  "call/policy/policy-book",
);
const { createPolicy } = await importHost<{ createPolicy: (options: object) => Decide }>("call/policy/policy");
const { WindowCounts } = await importHost<{ WindowCounts: new (kept: readonly never[]) => object }>(
  "call/policy/window-counts",
);
const host = { ...POLICY, rules: Array.from({ length: Number(rules) }, (_, index) => ruleOf(index)) };
const book = createPolicyBook({ host });
const decide = createPolicy({ book, counts: new WindowCounts([]), permissionsBehind: () => [] });
const calls = makeCalls(book);

const run = (times: number): number => {
  let allowed = 0;
  for (let i = 0; i < times; i++) {
    const call = calls[i % calls.length] ?? {};
    if (decide(call).verdict.rule === "shipped:members") allowed++;
  }
  return allowed;
};

const wanted = run(WARM_UP);
const before = process.cpuUsage();
const allowed = run(CALLS);
const { user, system } = process.cpuUsage(before);
if (wanted !== WARM_UP || allowed !== CALLS) throw new Error(`${CALLS - allowed} of ${CALLS} were decided otherwise`);
process.stdout.write(JSON.stringify((user + system) / CALLS));
