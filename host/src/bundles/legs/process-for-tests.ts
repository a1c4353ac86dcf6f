/**
 * For tests: real server processes in the shape that the legs expect, without supervision, and calls as the spine makes
 * them.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { NOBODY } from "../../kernel/ask.ts";
import type { CallListener, ProviderAnswer, ProviderRequest } from "../../kernel/provider.ts";
import { rawMembers } from "../../kernel/raw-json.ts";
import type { Connection, ConnectionEvents, ConnectionLimits, ServerProcess } from "../connection.ts";

export interface TestProcess extends ServerProcess {
  readonly child: ChildProcess;
  /** What came over stdout that was no message. */
  readonly noted: string[];
}

export const LIMITS: ConnectionLimits = {
  concurrency: 32,
  queue: 256,
  timeoutMs: 60_000,
  maxTimeoutMs: 1_800_000,
  maxMessageBytes: 67_108_864,
};

export const NO_EVENTS: ConnectionEvents = { listChanged: () => {}, resourceUpdated: () => {} };

export const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../../test/fixtures/${name}`, import.meta.url));

export const packageBin = (name: string): string =>
  fileURLToPath(new URL(`../../../../node_modules/.bin/${name}`, import.meta.url));

export const startProcess = (args: readonly string[]): TestProcess => {
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "ignore"] });
  const noted: string[] = [];
  const exited = new Promise<string>((resolve) => {
    child.once("exit", (code, signal) => resolve(signal ? `was ended by ${signal}` : `exited with code ${code}`));
  });
  return {
    child,
    noted,
    stdin: child.stdin,
    stdout: child.stdout,
    exited,
    noteOutput: (line) => void noted.push(line),
    stop: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
};

/** Starts a server that prints its port first. */
export const startHttp = async (args: readonly string[]): Promise<{ port: string; stop: () => void }> => {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return { port: line.toString().trim(), stop: () => child.kill("SIGKILL") };
};

export interface CallExtras extends Partial<Pick<ProviderRequest, "asker" | "owner" | "input" | "late" | "limitMs">> {
  readonly signal?: AbortSignal;
  readonly listener?: Partial<CallListener>;
  readonly meta?: string;
}

export const call = (to: Connection, name: string, args = "{}", extras: CallExtras = {}): Promise<ProviderAnswer> =>
  to.send({
    method: "tools/call",
    name,
    params: rawMembers(`"name":${JSON.stringify(name)},"arguments":${args}`),
    meta: rawMembers(extras.meta ?? ""),
    signal: extras.signal ?? new AbortController().signal,
    listener: { progress: () => {}, log: () => {}, level: () => null, ...extras.listener },
    asker: extras.asker ?? NOBODY,
    owner: extras.owner ?? "somebody",
    input: extras.input ?? null,
    limitMs: extras.limitMs ?? null,
    late: extras.late ?? (() => () => {}),
  });
