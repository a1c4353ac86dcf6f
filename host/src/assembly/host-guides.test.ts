/** `capabilities://tools` guides through the host's own tools too: what it shows of them is valid, and what it warns of occurs. */
import { expect, it } from "vitest";
import { REFUSALS } from "../kernel/refusals.ts";
import { faultsOf, openView, toolsOf, UNASKED, type ComposeView, type Json } from "./compose-view-for-tests.ts";
import { makePlace, type WholeHost } from "./whole-host-for-tests.ts";

const OWN = new Set(["nb", "files", "skills"]);
const FILE = "fl_00000000000000000000ffff";
const FEATURES = ["toolDiscovery", "bundleDiscovery", "bundleManagement", "delegation", "skillManagement"];

const start = async (more: object = {}): Promise<{ host: WholeHost; view: ComposeView }> => {
  const place = makePlace();
  place.configure({ ...UNASKED, ...more });
  const host = await place.start();
  return { host, view: await openView(host) };
};

const ownTools = async (view: ComposeView): Promise<readonly Json[]> =>
  toolsOf(await view.read("capabilities://tools")).filter(({ provider }) => OWN.has(provider as string));

const codesOf = ({ common_errors }: Json): string[] => (common_errors as Json[]).map(({ code }) => code as string);

/** Those that ask nobody else. */
const isClosed = ({ annotations }: Json): boolean => annotations["openWorldHint"] === false;

it("each of them has a guide, whose examples are valid and answered as it says", async () => {
  const { host, view } = await start();
  const listed = host.tools().map(({ name }) => name);
  const tools = await ownTools(view);
  const flat = listed.filter((name) => OWN.has(name.split("__")[0]!));
  expect(tools.map(({ name }) => name as string).toSorted()).toEqual(flat.toSorted());
  expect(tools.length).toBeGreaterThanOrEqual(15);
  const faults: string[] = [];
  for (const tool of tools) {
    const { name, input_schema, output_schema, examples, performance } = tool;
    if (examples.length < 2) faults.push(`${name} has ${examples.length} examples`);
    if (!/^\d+-\d+$/.test(performance.typical_ms as string)) faults.push(`${name}: ${performance.typical_ms}`);
    for (const code of codesOf(tool)) if (!Object.hasOwn(REFUSALS, code)) faults.push(`${name} names ${code}`);
    for (const { input } of examples as Json[]) {
      const wrong = faultsOf(input_schema as object, input);
      if (wrong !== "") faults.push(`an example of ${name}: ${wrong}`);
      if (!isClosed(tool)) continue;
      const answer = await view.call(name as string, input as object);
      const { error } = answer;
      if (error === undefined) faults.push(...unlike(name as string, output_schema as object, answer));
      else if (!codesOf(tool).includes(error.code as string)) faults.push(`${name} says ${error.code}`);
    }
  }
  expect(faults).toEqual([]);
});

const unlike = (name: string, schema: object, answer: Json): readonly string[] => {
  const wrong = Object.keys(schema).length === 0 ? "" : faultsOf(schema, answer);
  return wrong === "" ? [] : [`the answer of ${name}: ${wrong}`];
};

/** By which arguments of the owner each code is answered, where it takes no more than a call. */
const WAYS: Readonly<Record<string, Json>> = {
  nb__manage_bundle: { not_found: { action: "uninstall", name: "absent" } },
  nb__bundle_status: { not_found: { name: "absent" } },
  nb__delegate: { unavailable: { task: "Nothing." } },
  nb__manage_skill: { not_found: { action: "delete", name: "absent" } },
  files__read: { resource_not_found: { id: FILE } },
  files__create: { quota_exceeded: { filename: "large.txt", body: "x".repeat(101) } },
  files__info: { resource_not_found: { id: FILE } },
  files__tag: { resource_not_found: { id: FILE, add: ["a"] } },
  files__delete: { resource_not_found: { id: FILE } },
  skills__read: { not_found: { name: "absent" } },
};

/** What takes a person, a disk that fails, a registry, a model or many files; the rooms of the tools show these. */
const SHOWN_ELSEWHERE =
  /^nb__(manage_bundle (already|name|install|credentials|not_ready|protected)|delegate (out|bud|model))/;
const ALSO_ELSEWHERE = new Set([
  "nb__manage_skill too_large",
  "nb__manage_skill quota_exceeded",
  "nb__manage_skill upstream_failed",
  "files__search timed_out",
  "files__read too_large",
  "files__read upstream_failed",
  "skills__read too_large",
  "skills__read not_ready",
  "skills__read upstream_failed",
]);

it("each refusal that it names occurs", async () => {
  const { host, view } = await start({ files: { maxFileSize: 100 } });
  const { secret } = await host.keys.create({ name: "plain", scopes: ["nb__*"] });
  const plain = await openView(host, { key: secret });
  const { view: off } = await start({ features: Object.fromEntries(FEATURES.map((name) => [name, false])) });
  const { view: asking } = await start({ policy: {} });
  const wrong: string[] = [];
  for (const tool of await ownTools(view)) {
    const name = tool["name"] as string;
    const first = (tool["examples"] as Json[])[0]!["input"] as object;
    for (const code of codesOf(tool)) {
      const calls: Readonly<Record<string, readonly [ComposeView, object]>> = {
        invalid_input: [view, { "no argument of any tool": 1 }],
        disabled: [off, first],
        permission_missing: [plain, first],
        approval_pending: [asking, first],
      };
      const [by, args] = calls[code] ?? [view, WAYS[name]?.[code] as object | undefined];
      if (args === undefined) {
        if (!SHOWN_ELSEWHERE.test(`${name} ${code}`) && !ALSO_ELSEWHERE.has(`${name} ${code}`))
          wrong.push(`${name} ${code} is shown nowhere`);
        continue;
      }
      const { error } = await by.call(name, args);
      if (error?.code !== code) wrong.push(`${name} ${code}: ${JSON.stringify(error).slice(0, 200)}`);
    }
  }
  expect(wrong).toEqual([]);
});
