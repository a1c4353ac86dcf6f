/** kill -9 of the host while a script of a package runs: nothing of it is left, and what became of the call is recorded as unknown. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openEvidence } from "../assembly/open-evidence.ts";
import { writePackage } from "../assembly/packages-place-for-tests.ts";
import { createCli, type Cli } from "./cli-for-tests.ts";

const TOOLS = "tools:\n  - name: stay\n    timeout_hint_secs: 600\n";
/** Deaf to signals, as are two that it starts: one in its group and one that leaves it. */
const STAY = `
trap '' TERM HUP INT
echo $$ >> begun
sh -c 'trap "" TERM HUP; echo $$ >> begun; while :; do sleep 1; done' &
setsid sh -c 'trap "" TERM HUP; echo $$ >> begun; while :; do sleep 1; done' &
while :; do sleep 1; done
`;

// Two starts of the program.
vi.setConfig({ testTimeout: 60_000 });

let cli: Cli;
beforeEach(() => {
  cli = createCli();
  cli.configure({ workDir: "work", noDefaultBundles: true });
  const home = join(cli.workDir, "workspaces/ws_default/skills/worker");
  writePackage(home, "worker", { "tools.yaml": TOOLS, "scripts/stay.sh": STAY });
});
afterEach(() => cli.clean());

const until = (done: () => boolean): Promise<void> =>
  vi.waitFor(() => expect(done()).toBe(true), { timeout: 20_000, interval: 20 });

const linesOf = (file: string): readonly string[] => {
  try {
    return readFileSync(file, "utf8").trim().split("\n");
  } catch {
    return [];
  }
};

/** What has ended and was not fetched by its parent yet does nothing any more. */
const isAlive = (pid: string): boolean => {
  const [stat = ""] = linesOf(`/proc/${pid}/stat`);
  return stat !== "" && !/^\d+ \(.*\) Z/.test(stat);
};

const serve = async () => {
  const host = cli.start(["serve", "--port", "0", "--json"]);
  await host.says('"listening"');
  const [, origin = ""] = /"listening".*"origin":"([^"]+)"/.exec(host.out()) ?? [];
  return { ...host, origin };
};

it("leaves none of its processes, however deaf, and the next start says that the outcome is unknown", async () => {
  const host = await serve();
  const key = readFileSync(join(cli.workDir, "owner.key"), "utf8").trim();
  const called = fetch(`${host.origin}/v1/tools/call`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "worker__stay", arguments: {} }),
  }).catch(() => null);
  const begun = (): readonly string[] => linesOf(join(cli.workDir, "workspaces/ws_default/data/worker/begun"));
  await until(() => begun().length === 3);
  expect(begun().filter(isAlive)).toHaveLength(3);
  host.signal("SIGKILL");
  await host.exited;
  expect(await called).toBeNull();
  await until(() => !begun().some(isAlive));

  const again = await serve();
  again.signal("SIGTERM");
  await again.exited;
  const evidence = openEvidence(cli.workDir);
  const events = [...evidence.range(1, evidence.last())].map((line) => JSON.parse(line) as Record<string, unknown>);
  evidence.close();
  expect(
    events.filter((event) => event["capability_id"] === "worker__stay").map((event) => event["event_type"]),
  ).toEqual(["execution_started", "execution_indeterminate"]);
});
