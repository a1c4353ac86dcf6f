/**
 * Which workspaces there are and who belongs to them. A workspace is a folder with a `workspace.json`; it is looked at when
 * somebody names it and not before, so that those nobody uses cost nothing. While a changed file cannot be used, what it said
 * before goes on to hold.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import {
  type Config,
  type Finding,
  parseWorkspace,
  unavailableFeatures,
  type WorkspaceConfig,
} from "@bailiwick/contract";
import { DEFAULT_WORKSPACE, type IsMember, isWorkspaceId } from "../kernel/workspace.ts";

export interface FoundWorkspace {
  readonly id: string;
  /** Null for the default one, which the host's own file configures. */
  readonly file: string | null;
  /** What relative paths in the file start from, and where all of the workspace lies. */
  readonly baseDir: string;
  /** Null for the default one, and while its file has never been usable. */
  readonly config: WorkspaceConfig | null;
  /** Why the file, as it is now, cannot be used. */
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
}

export interface Workspaces {
  /** Null: there is none, or that is no id. */
  find(id: string): FoundWorkspace | null;
  /** Its file has changed: the next to ask hears what it says now, however short ago it was looked at. */
  lookAgain(id: string): void;
  readonly isMember: IsMember;
  /** Reads the directory: for people who ask, never for a call. */
  ids(): readonly string[];
}

export interface WorkspacesOptions {
  readonly workDir: string;
  /** The host's own configuration as it is now. */
  readonly host: () => Config;
}

interface Known {
  readonly found: FoundWorkspace;
  readonly members: ReadonlySet<string>;
  /** Differs when the file does. */
  readonly stamp: string;
  lookedAt: number;
}

const LOOK_AGAIN_MS = 1_000;
const MAX_FILE_BYTES = 4_194_304;
const EVERYTHING = "*";

export const createWorkspaces = ({ workDir, host }: WorkspacesOptions): Workspaces => {
  const root = join(workDir, "workspaces");
  const known = new Map<string, Known>();
  const byDefault: FoundWorkspace = {
    id: DEFAULT_WORKSPACE,
    file: null,
    baseDir: join(root, DEFAULT_WORKSPACE),
    config: null,
    errors: [],
    warnings: [],
  };

  const look = (id: string, before: Known | undefined, now: number): Known | null => {
    const baseDir = join(root, id);
    const file = join(baseDir, "workspace.json");
    const stamp = stampOf(file);
    if (stamp === null) {
      known.delete(id);
      return null;
    }
    if (before?.stamp === stamp) {
      before.lookedAt = now;
      return before;
    }
    const { config, errors, warnings } = read(file, host());
    const found = { id, file, baseDir, config: config ?? before?.found.config ?? null, errors, warnings };
    const fresh = { found, members: new Set(found.config?.members), stamp, lookedAt: now };
    known.set(id, fresh);
    return fresh;
  };

  const get = (id: string): Known | null => {
    const before = known.get(id);
    const now = Date.now();
    if (before && now - before.lookedAt < LOOK_AGAIN_MS && now >= before.lookedAt) return before;
    return before || isWorkspaceId(id) ? look(id, before, now) : null;
  };

  return {
    find: (id) => (id === DEFAULT_WORKSPACE ? byDefault : (get(id)?.found ?? null)),
    lookAgain(id) {
      const before = known.get(id);
      if (before) before.lookedAt = 0;
    },
    isMember: (id, { id: who, onBehalfOf, permissions }) => {
      const everywhere = permissions.includes(EVERYTHING);
      if (id === DEFAULT_WORKSPACE) return everywhere;
      const found = get(id);
      if (found === null) return false;
      return everywhere || found.members.has(who) || (onBehalfOf !== null && found.members.has(onBehalfOf));
    },
    ids: () => [
      DEFAULT_WORKSPACE,
      ...namesIn(root)
        .filter((id) => id !== DEFAULT_WORKSPACE && isWorkspaceId(id) && stampOf(join(root, id, "workspace.json")))
        .toSorted(),
    ],
  };
};

const namesIn = (dir: string): string[] => {
  try {
    return readdirSync(dir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
};

/** Null: there is no such file. */
const stampOf = (file: string): string | null => {
  try {
    const { mtimeMs, size, ino } = statSync(file);
    return `${mtimeMs} ${size} ${ino}`;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? null : `${code}`;
  }
};

type Reading = Pick<FoundWorkspace, "config" | "errors" | "warnings">;

const read = (file: string, host: Config): Reading => {
  const text = readText(file);
  if (typeof text !== "string") return { config: null, errors: [text], warnings: [] };
  const { workspace, errors, warnings } = parseWorkspace(text, host);
  if (workspace === null) return { config: null, errors, warnings };
  const missing = unavailableFeatures({ ...host, ...workspace });
  const blocking = missing.filter((feature) => feature.blocking);
  const others = missing.filter((feature) => !feature.blocking);
  return { config: blocking.length === 0 ? workspace : null, errors: blocking, warnings: [...warnings, ...others] };
};

const readText = (file: string): string | Finding => {
  try {
    const stat = statSync(file);
    if (!stat.isFile()) return fault("it is not a file");
    if (stat.size > MAX_FILE_BYTES) return fault(`it has ${stat.size} bytes; at most ${MAX_FILE_BYTES} are read`);
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    return fault(error instanceof TypeError ? "it is not UTF-8; save it in that encoding" : (error as Error).message);
  }
};

const fault = (message: string): Finding => ({ pointer: "", message });
