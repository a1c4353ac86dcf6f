/** Environment capabilities as they change while the host runs: by its configuration, or by a person, who is written down first. */
import { findCapabilitiesFault, type Config } from "@bailiwick/contract";
import type { CallPath } from "../call/create-call-path.ts";
import type { CapabilitiesChange, EnvironmentAdmin } from "../kernel/environment.ts";
import type { StateWrite } from "../kernel/evidence.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { InForce } from "./in-force.ts";
import type { HostEvents } from "./record-host-events.ts";
import type { WorkspaceRoom } from "./workspace-room.ts";

type Capabilities = Config["capabilities"];

export interface CapabilitySteering {
  /** What the host was started with. */
  readonly initial: Capabilities;
  readonly path: Pick<CallPath, "environment" | "refresh">;
  readonly events: Pick<HostEvents, "write" | "note" | "seldom">;
  readonly inForce: InForce;
  /** Of the default workspace, whose file is the host's. */
  readonly room: () => Pick<WorkspaceRoom, "config" | "adopt" | "file">;
  readonly report: (error: unknown) => void;
}

export interface SteeredCapabilities extends EnvironmentAdmin {
  /** At the start: what was changed while the host was stopped is a change like any other. */
  opened(): void;
  /** Whenever a configuration of the host was taken over. */
  taken(): void;
}

/** What else of the configuration widens or narrows what tools may do. */
const OTHERS = ["providers", "require", "roots", "env", "groups"] as const;
/** Under which they are remembered. */
const NAME = "capabilities";

export const steerCapabilities = (options: CapabilitySteering): SteeredCapabilities => {
  const { path, events, inForce: remembered, room, report } = options;
  /** One change after the other, so that each record begins where the last one ended. */
  let work: Promise<unknown> = Promise.resolve();
  /** As the gate has it, which a reload that is still under way has not changed. */
  let inForce = withEachOnce(options.initial);
  /** False: the last try to write the list down failed. */
  let written = true;

  const asWritten = (capabilities: Capabilities): StateWrite => remembered.write(NAME, textOf(capabilities));
  const record = (change: object, after: Capabilities): Promise<unknown> =>
    events.write("capabilities_changed", "lifecycle", change, [asWritten(after)]);

  /** What the host says of itself from now on. */
  const apply = (capabilities: Capabilities): void => {
    inForce = capabilities;
    if (path.environment.replace(capabilities).changed) path.refresh();
  };

  const declare = async (after: readonly string[], { by, from }: Declaration): Promise<CapabilitiesChange> => {
    const before = inForce.declared;
    if (from !== null && !isSame(from, before)) throw stale(before);
    if (isSame(before, after)) {
      if (!written) written = await writeDeclared(room(), after, report);
      return { before, after, persisted: written && room().file.file !== null };
    }
    const declared = [...after];
    await record({ before, after, by }, { ...inForce, declared });
    written = await writeDeclared(room(), after, report);
    room().adopt((config) => ({ ...config, capabilities: { ...config.capabilities, declared } }));
    apply({ ...inForce, declared });
    return { before, after, persisted: written };
  };

  const take = (): void => {
    const before = inForce;
    apply(withEachOnce(room().config.capabilities));
    if (!isSame(before.declared, inForce.declared)) written = true;
    const change = changeOf(before, inForce);
    if (change !== null) record({ ...change, by: "configuration" }, inForce).catch(report);
  };

  const opened = (): void => {
    const last = remembered.last(NAME);
    if (last === null) return events.note(asWritten(inForce));
    const change = changeOf(JSON.parse(last) as Capabilities, inForce);
    if (change === null) return;
    record({ ...change, by: "configuration", while_stopped: true }, inForce).catch(report);
  };

  const inTurn = <T>(change: () => T | Promise<T>): Promise<T> => {
    const done = work.then(change);
    work = done.catch(() => {});
    return done;
  };

  return {
    opened,
    declared: () => ({ declared: inForce.declared, providers: inForce.providers }),
    declare(declared, by, before) {
      const fault = findCapabilitiesFault(declared);
      if (fault !== null) return Promise.reject(badList(fault));
      const names = [...new Set(declared)];
      return inTurn(() => declare(names, { by, from: before ?? null }));
    },
    turnedAway: ({ kind, message, details }, by) =>
      events.seldom("capabilities_change_refused", by, { refusal: { code: kind, message, data: details } }),
    taken: () => void inTurn(take).catch(report),
  };
};

interface Declaration {
  readonly by: string;
  /** The list that the new one was made from; null: nobody looked. */
  readonly from: readonly string[] | null;
}

const withEachOnce = (capabilities: Capabilities): Capabilities => ({
  ...capabilities,
  declared: [...new Set(capabilities.declared)],
});

/** As it is remembered and compared over restarts. */
const textOf = ({ declared, ...rest }: Capabilities): string =>
  JSON.stringify({ declared, ...Object.fromEntries(OTHERS.map((key) => [key, rest[key]])) });

/** What the event says of it; null: nothing of it changed. */
const changeOf = (before: Capabilities, after: Capabilities): object | null => {
  const others = OTHERS.filter((key) => !isSame(before[key], after[key]));
  if (isSame(before.declared, after.declared) && others.length === 0) return null;
  const more = others.map((key) => [key, { before: before[key], after: after[key] }] as const);
  return { before: before.declared, after: after.declared, ...Object.fromEntries<unknown>(more) };
};

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** False: there is no file, or it cannot be written. */
const writeDeclared = async (
  { file }: Pick<WorkspaceRoom, "file">,
  declared: readonly string[],
  report: (error: unknown) => void,
): Promise<boolean> => {
  if (file.file === null) return false;
  try {
    await file.edit((value) => {
      const { capabilities } = value;
      const kept = typeof capabilities === "object" && capabilities !== null ? capabilities : {};
      value["capabilities"] = { ...kept, declared };
    });
    return true;
  } catch (error) {
    report(error);
    return false;
  }
};

const badList = (fault: string): Refusal =>
  new Refusal("bad_request", {
    message: `"declared" ${fault}.`,
    next: 'Send the whole list, such as {"declared":["usd","filesystem.read"]}.',
  });

const stale = (declared: readonly string[]): Refusal =>
  new Refusal("stale_surface", {
    message: "What the host declares was changed since it was looked at, so nothing was changed now.",
    next: "Look at it again, GET /v1/host/capabilities, and make the change in the list that is there now.",
    details: { declared },
  });
