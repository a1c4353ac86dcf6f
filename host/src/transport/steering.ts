/** Who may steer bundles and skill packages, and what only people may. Whoever is turned away is recorded. */
import type { Asking, BundleAdmin } from "../kernel/bundle-admin.ts";
import type { Principal } from "../kernel/principal.ts";
import { Refusal } from "../kernel/refusal.ts";
import { requirePermission } from "./require-permission.ts";
import { requirePerson } from "./require-person.ts";

/** What a person runs for it. */
const COMMANDS = {
  install: "bailiwick bundle add",
  uninstall: "bailiwick bundle remove",
  definitions_accept: "bailiwick bundle accept",
  configure: "bailiwick bundle configure",
  package_accept: "bailiwick skill accept",
} as const;

export interface Steering {
  /** Those who may, as evidence names them; throws for all others. */
  by(principal: Principal, wanted: string): Asking;
  /** Of those the people; `name`: the bundle or package it is about. */
  byPerson(principal: Principal, wanted: keyof typeof COMMANDS, name?: string): Asking;
}

/** The caller's own words are put into no command. */
const echo = (name: string): string => (/^[a-z0-9-]{1,48}$/.test(name) ? name : "<name>");

export const createSteering = (bundles: Pick<BundleAdmin, "turnedAway">): Steering => {
  const admit = (principal: Principal, wanted: string, command: string | null): Asking => {
    const asking = { by: principal.id, workspace: principal.workspace };
    try {
      requirePermission(principal, "bundles:manage");
      if (command !== null) requirePerson(principal, command);
    } catch (error) {
      if (error instanceof Refusal) bundles.turnedAway(wanted, error, asking);
      throw error;
    }
    return asking;
  };
  return {
    by: (principal, wanted) => admit(principal, wanted, null),
    byPerson: (principal, wanted, name) =>
      admit(principal, wanted, name === undefined ? COMMANDS[wanted] : `${COMMANDS[wanted]} ${echo(name)}`),
  };
};
