/** Whether a process is confined: what its entry asks for, as far as this machine can. */
import type { Sandbox } from "@bailiwick/contract";
import { Refusal } from "../../kernel/refusal.ts";
import { findBwrap } from "./find-bwrap.ts";

export interface ChooseSandboxOptions {
  readonly name: string;
  readonly settings: Pick<Sandbox, "profile" | "require">;
  /** The host's search path. */
  readonly path: string;
}

export interface SandboxChoice {
  /** The program that confines; null: it runs as it is. */
  readonly bwrap: string | null;
  readonly warnings: readonly string[];
}

const OFF: SandboxChoice = { bwrap: null, warnings: [] };

/** Throws Refusal `install_refused` where it must not run without. */
export const chooseSandbox = async (options: ChooseSandboxOptions): Promise<SandboxChoice> => {
  const { name, settings, path } = options;
  if (settings.profile === "off") return OFF;
  const found = await findBwrap(path);
  if (found.ok) return { bwrap: found.program, warnings: [] };
  if (settings.require) throw refuse(name, found.reason);
  return { bwrap: null, warnings: [`${found.reason}, so ${name} runs without its sandbox; install bubblewrap`] };
};

const refuse = (name: string, reason: string): Refusal =>
  new Refusal("install_refused", {
    message: `${name} may only run in the sandbox "bwrap", and ${reason}.`,
    next: `Install bubblewrap and run: bailiwick bundle start ${name}. Or set "require": false in its sandbox.`,
    details: { bundle: name, reason: "sandbox-unavailable" },
  });
