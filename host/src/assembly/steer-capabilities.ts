/** Environment capabilities as they change while the host runs: by its configuration, or by a person, who is written down first. */
import type { Config } from "@bailiwick/contract";
import type { CallPath } from "../call/create-call-path.ts";
import type { CapabilitiesChange, EnvironmentAdmin } from "../kernel/environment.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { HostEvents } from "./record-host-events.ts";
import type { WorkspaceRoom } from "./workspace-room.ts";

export interface CapabilitySteering {
  readonly path: Pick<CallPath, "environment" | "refresh">;
  readonly events: Pick<HostEvents, "write">;
  /** Of the default workspace, whose file is the host's. */
  readonly room: () => WorkspaceRoom;
  readonly report: (error: unknown) => void;
}

export interface SteeredCapabilities extends EnvironmentAdmin {
  /** With the configuration of the host whenever one was taken over. */
  taken(config: Config): void;
}

const MAX_NAMES = 1_000;
const NAME = /^[^\p{Cc}]{1,256}$/u;

export const steerCapabilities = ({ path, events, room, report }: CapabilitySteering): SteeredCapabilities => {
  let work: Promise<unknown> = Promise.resolve();

  const record = (change: Omit<CapabilitiesChange, "persisted">, by: string): Promise<unknown> =>
    events.write("capabilities_changed", "lifecycle", { ...change, by });

  /** What the host says of itself from now on. */
  const apply = (capabilities: Config["capabilities"]): ReturnType<typeof path.environment.replace> => {
    const change = path.environment.replace(capabilities);
    if (change.changed) path.refresh();
    return change;
  };

  const declare = async (declared: readonly string[], by: string): Promise<CapabilitiesChange> => {
    const { config } = room();
    const before = config.capabilities.declared;
    const after = [...declared];
    if (JSON.stringify(before) === JSON.stringify(after))
      return { before, after, persisted: room().file.file !== null };
    await record({ before, after }, by);
    const persisted = await writeDeclared(room(), after, report);
    const capabilities = { ...room().config.capabilities, declared: after };
    room().adopt({ ...room().config, capabilities });
    apply(capabilities);
    return { before, after, persisted };
  };

  return {
    declared() {
      const { declared, providers } = room().config.capabilities;
      return { declared, providers };
    },
    declare(declared, by) {
      const fault = findFault(declared);
      if (fault !== null) return Promise.reject(badList(fault));
      const unique = [...new Set(declared)];
      const done = work.then(() => declare(unique, by));
      work = done.catch(() => {});
      return done;
    },
    taken({ capabilities }) {
      const { changed, before, after } = apply(capabilities);
      if (changed) record({ before, after }, "configuration").catch(report);
    },
  };
};

/** False: there is no file, or it cannot be written. */
const writeDeclared = async (
  { file }: WorkspaceRoom,
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

const findFault = (declared: unknown): string | null => {
  if (!Array.isArray(declared)) return "it is no list";
  if (declared.length > MAX_NAMES) return `it has more than ${MAX_NAMES} names`;
  const at = declared.findIndex((name) => typeof name !== "string" || !NAME.test(name));
  return at < 0 ? null : `entry ${at} is no name of 1 to 256 characters`;
};

const badList = (fault: string): Refusal =>
  new Refusal("bad_request", {
    message: `"declared" cannot be used: ${fault}.`,
    next: 'Send the whole list, such as {"declared":["usd","filesystem.read"]}.',
  });
