/**
 * Looks for bubblewrap on the host's search path and tries it out: a machine may have the program and forbid the namespaces.
 * What works is remembered; what does not is looked at anew, so that installing it takes effect with the next start.
 */
import { execFile } from "node:child_process";
import { findOnPath } from "../find-on-path.ts";

export type FoundBwrap =
  | { readonly ok: true; readonly program: string }
  /** Half a sentence for people: `bubblewrap (bwrap) is not on the host's PATH`. */
  | { readonly ok: false; readonly reason: string };

const TRIAL_MS = 10_000;
const MAX_WORDS = 200;
/** Everything that may be forbidden, and nothing else. */
const TRIAL = "--unshare-user --unshare-pid --unshare-ipc --unshare-uts --ro-bind / / --proc /proc --dev /dev -- true";

const working = new Set<string>();

export const findBwrap = async (path: string): Promise<FoundBwrap> => {
  const program = findOnPath("bwrap", path);
  if (program === null) return { ok: false, reason: "bubblewrap (bwrap) is not on the host's PATH" };
  if (working.has(program)) return { ok: true, program };
  const failure = await tryOut(program, path);
  if (failure !== null) return { ok: false, reason: `${program} does not work on this machine: ${failure}` };
  working.add(program);
  return { ok: true, program };
};

const tryOut = (program: string, path: string): Promise<string | null> =>
  new Promise((resolve) => {
    const options = { env: { PATH: path }, timeout: TRIAL_MS, killSignal: "SIGKILL" } as const;
    execFile(program, TRIAL.split(" "), options, (error, _, stderr) => {
      resolve(error === null ? null : (stderr.trim() || error.message).slice(0, MAX_WORDS));
    });
  });
