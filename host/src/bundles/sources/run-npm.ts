/**
 * Runs the user's own npm, with the user's own npm configuration, and without a shell. Nothing of a package runs: scripts
 * are off.
 */
import { spawn } from "node:child_process";
import { delimiter, dirname } from "node:path";
import { refuseSource } from "./refuse-source.ts";

export interface NpmOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly nodePath: string;
}

export interface RunNpmOrder {
  /** For people: `install echo@1.2.0`. */
  readonly what: string;
  /** Working directory: no project of somebody else's around it. */
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const MAX_OUTPUT = 4 * 1024 * 1024;
const MAX_COMPLAINT = 2_000;
/** The host's own secrets are nobody else's. */
const OWN = /^(?:BAILIWICK_.*|NB_API_KEY|NB_INTERNAL_TOKEN)$/;

/** What it wrote. Rejects with a Refusal that says what it complained of. */
export const runNpm = (args: readonly string[], order: RunNpmOrder, options: NpmOptions): Promise<string> => {
  const { cwd, signal } = order;
  signal.throwIfAborted();
  const child = spawn("npm", args, {
    cwd,
    env: environmentOf(options),
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
    shell: false,
  });
  let output = "";
  let complaint = "";
  let fault: Error | null = null;
  const end = (error: Error): void => {
    fault ??= error;
    // The whole group: npm may have children.
    if (child.pid !== undefined) endGroup(child.pid);
  };
  child.stdout.setEncoding("utf8").on("data", (part: string) => {
    output += part;
    if (output.length > MAX_OUTPUT) end(refuseSource("npm wrote more than the host reads.", RUN_YOURSELF));
  });
  child.stderr.setEncoding("utf8").on("data", (part: string) => (complaint = (complaint + part).slice(-MAX_COMPLAINT)));
  const onAbort = (): void => end(signal.reason as Error);
  signal.addEventListener("abort", onAbort, { once: true });
  const tooLate = setTimeout(() => end(refuseLate(order.timeoutMs)), order.timeoutMs);
  return new Promise<string>((resolve, reject) => {
    child.once("error", (error: NodeJS.ErrnoException) => reject(fault ?? refuseMissing(error)));
    child.once("close", (code) => {
      if (fault !== null) reject(fault);
      else if (code === 0) resolve(output);
      else reject(refuseFailed(order.what, complaint));
    });
  }).finally(() => {
    clearTimeout(tooLate);
    signal.removeEventListener("abort", onAbort);
  });
};

const RUN_YOURSELF = 'Install the package yourself and use "path".';

const environmentOf = ({ env, nodePath }: NpmOptions): Record<string, string> => {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !OWN.test(name)) kept[name] = value;
  }
  // Behind all others: npm is a script and needs some node.
  kept["PATH"] = [kept["PATH"] ?? "/usr/local/bin:/usr/bin:/bin", dirname(nodePath)].join(delimiter);
  return kept;
};

const endGroup = (pid: number): void => {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It is gone.
  }
};

const refuseMissing = (error: NodeJS.ErrnoException): Error =>
  error.code === "ENOENT"
    ? refuseSource(
        "npm is not installed, or not on the host's PATH; `npm:` names need it.",
        "Install Node.js with npm, and start the host with npm on its PATH.",
      )
    : refuseSource(`npm cannot be started (${error.code ?? error.message}).`, "See that npm runs: npm --version");

const refuseLate = (timeoutMs: number): Error =>
  refuseSource(
    `npm did not end within ${timeoutMs} ms.`,
    "Look at the network and at `npm config list`, then try again.",
  );

const refuseFailed = (what: string, complaint: string): Error => {
  const said = complaint.split("\n").filter((line) => line.startsWith("npm error") && !line.includes("complete log"));
  const why = said
    .map((line) => line.slice("npm error".length).trim())
    .join(" ")
    .slice(0, 500);
  const missing = /\bE404\b/.test(why);
  return refuseSource(
    `npm ${what} failed: ${why === "" ? "it gave no reason" : why}`,
    missing ? "Correct the package's name or version." : "Correct what npm complains of, then try again.",
  );
};
