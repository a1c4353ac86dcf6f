/** A skill of a workspace, wherever it comes from, with whether it can be used now. */
import type { ShelvedSkill } from "../../kernel/skill-shelf.ts";
import type { AgentSkill } from "./agent-skill.ts";

export interface BookSkill extends AgentSkill, ShelvedSkill {
  /** Empty for a skill of a server, whose text is read when it is wanted. */
  readonly body: string;
  /** Of its file; null: it is a server's. */
  readonly path: string | null;
  /** Null: it is on the host's disk. */
  readonly remote: RemoteFiles | null;
  /** Environment capabilities that its tools require and the host does not declare. */
  readonly missing: readonly string[];
}

/** Where a server keeps a skill, as the workspace's endpoint names it. */
export interface RemoteFiles {
  readonly provider: string;
  /** Of its `SKILL.md`. */
  readonly uri: string;
  /** URIs of all its files; null: the server does not say which there are. */
  readonly files: readonly string[] | null;
}
