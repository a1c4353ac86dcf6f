/**
 * One appointment from the first question to the proof: a planning agent asks, a manager approves, the call runs once, and the
 * exported evidence is verified without the host. Everything lies in a temporary directory and is gone at the end.
 */
import { execFile, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const PROGRAM = here("../../host/bin/bailiwick");
const START_MS = 60_000;

const dir = mkdtempSync(join(tmpdir(), "service-ops-"));
const place = ["--config", here("bailiwick.json"), "--workdir", join(dir, "work")];

const say = (text = "") => process.stdout.write(`${text}\n`);
const show = (value) => say(JSON.stringify(value, null, 2).replace(/^/gm, "  "));
const heading = (text) => say(`\n== ${text}`);
const must = (holds, what) => {
  if (!holds) throw new Error(`It should be otherwise: ${what}`);
};

/** A command of the program; what it writes to stderr is for people and only shown when it fails. */
const bailiwick = (...args) =>
  new Promise((resolve, reject) => {
    execFile(PROGRAM, args, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      if (typeof code === "number") resolve({ code, stdout, stderr });
      else reject(error);
    });
  });

/** Resolves with the address, when the dispatch bundle can be called. */
const start = () => {
  const child = spawn(PROGRAM, ["serve", ...place, "--port", "0", "--json"], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const up = new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`The host was not up after ${START_MS} ms.`)), START_MS);
    let origin = "";
    createInterface({ input: child.stdout }).on("line", (line) => {
      const event = JSON.parse(line);
      if (event.event === "listening") ({ origin } = event);
      if (event.event !== "provider" || event.name !== "dispatch" || event.state !== "running") return;
      clearTimeout(late);
      resolve(origin);
    });
    child.once("error", reject);
    child.once("close", (code) => {
      clearTimeout(late);
      reject(new Error(`The host ended with exit code ${code}. Built already? Run: npm run build`));
    });
  });
  const stop = () => {
    child.kill("SIGTERM");
    return ended;
  };
  return { up, stop };
};

const client = (origin) => async (key, path, body) => {
  const res = await fetch(origin + path, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: res.status, json: await res.json() };
};

const createKey = async (name, ...more) => {
  const { code, stdout, stderr } = await bailiwick("key", "create", "--name", name, ...more, ...place);
  must(code === 0, stderr);
  return stdout.trim();
};

const showSteps = ({ invocations }) => {
  for (const { steps } of invocations) {
    for (const [index, { step, ...facts }] of steps.entries()) {
      const text = Object.entries(facts).filter(([, value]) => value !== null);
      const words = text.map(([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`);
      say(`  0${index + 1} ${step.padEnd(11)} ${words.join("  ")}`);
    }
  }
};

const withoutSchemas = (manifest) => ({
  ...manifest,
  capabilities: manifest.capabilities.map(({ input_schema: _in, output_schema: _out, ...rest }) => rest),
});

const walk = async (origin) => {
  const ask = client(origin);

  heading("Keys: the planning agent and a helper act for the owner, Maria for herself");
  const agent = await createKey("planning-assistant", "--scope", "dispatch__*");
  const helper = await createKey("helper");
  const maria = await createKey("maria", "--as", "person:maria");
  const owner = readFileSync(join(dir, "work", "owner.key"), "utf8").trim();
  say("  agent:planning-assistant for person:owner, agent:helper for person:owner, person:maria");

  heading("The manifest, as the planning agent sees it, without the input schemas: GET /chp/host");
  const manifest = await ask(agent, "/chp/host");
  must(manifest.status === 200, JSON.stringify(manifest));
  show(withoutSchemas(manifest.json));

  const invocation = {
    invocation_id: "inv_job_4711",
    correlation: { correlation_id: "corr_job_4711" },
    capability_id: "schedule_technician",
    payload: { job: "4711", skill: "hvac", window: "2026-12-01 09:00-12:00" },
    metadata: { context: { job_context: "Air conditioning fails, customer 88" } },
  };
  const invoke = () => ask(agent, "/chp/invoke", invocation);

  heading("The agent asks over CHP: POST /chp/invoke");
  const first = (await invoke()).json;
  show({ outcome: first.outcome, denial: first.denial });
  must(first.denial?.code === "approval_required", JSON.stringify(first));
  const id = first.denial.details.approval_id;

  heading("Who cannot approve it");
  for (const [who, key] of Object.entries({
    "the agent itself": agent,
    "the owner's helper": helper,
    "the owner": owner,
  })) {
    const { status, json } = await ask(key, `/v1/approvals/${id}`, { decision: "approve" });
    say(`  ${who}: HTTP ${status}, ${json.message}`);
    must(status === 403 || status === 404, `${who} may decide`);
  }

  heading(`Maria, a manager, approves it: POST /v1/approvals/${id}`);
  const decided = await ask(maria, `/v1/approvals/${id}`, { decision: "approve", reason: "The customer waits." });
  must(decided.json.state === "granted", JSON.stringify(decided));
  say(`  ${decided.json.state} by ${decided.json.decisions.map(({ by }) => by).join(", ")}`);

  heading("The agent sends the same invocation again: it runs, once");
  const done = (await invoke()).json;
  must(done.outcome === "success", JSON.stringify(done));
  show(done.data);
  const again = (await invoke()).json;
  must(again.replayed === true && again.data.appointment === done.data.appointment, JSON.stringify(again));
  say("  And once more: the recorded answer, replayed. Nothing ran.");

  heading("The trace: GET /v1/evidence/trace/corr_job_4711");
  showSteps((await ask(agent, "/v1/evidence/trace/corr_job_4711")).json);

  const [bundle, identity] = [join(dir, "evidence.json"), join(dir, "identity.json")];
  writeFileSync(bundle, JSON.stringify((await ask(agent, "/chp/export/corr_job_4711")).json));
  writeFileSync(identity, JSON.stringify((await ask(agent, "/.well-known/chp-identity")).json));
  return { bundle, identity };
};

/** With the host stopped: only the exported file and the host's public key are left. */
const verify = async ({ bundle, identity }) => {
  heading("The host is stopped. The exported evidence, verified with its public key alone");
  const good = await bailiwick("evidence", "verify", bundle, "--key", identity);
  say(good.stdout.trimEnd().replace(/^/gm, "  "));
  must(good.code === 0, good.stderr);

  heading("The same file with one byte changed: the agent's name");
  const forged = join(dir, "forged.json");
  writeFileSync(forged, readFileSync(bundle, "utf8").replace("planning-assistant", "planning-assistent"));
  const bad = await bailiwick("evidence", "verify", forged, "--key", identity);
  say(`  ${bad.stderr.trim()}`);
  must(bad.code === 1, "a forged record verifies");
};

const host = start();
try {
  const files = await walk(await host.up);
  await host.stop();
  await verify(files);
} finally {
  await host.stop();
  rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
}
