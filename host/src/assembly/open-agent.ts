/** Gives the agent what it needs of the other rooms. */
import { createAgent, type OpenedAgent } from "../agent/chat/create-agent.ts";
import type { AgentPorts, AgentWorkspace, RunEnded, RunRecord } from "../agent/chat/agent-ports.ts";
import type { PromptApp } from "../agent/prompt/prompt-layer.ts";
import type { KeptBundle } from "../bundles/make-bundle.ts";
import type { CallPath } from "../call/create-call-path.ts";
import type { Archive, EventPage } from "../kernel/archive.ts";
import type { FilesOf } from "../kernel/files.ts";
import type { Models } from "../kernel/model.ts";
import type { Principal } from "../kernel/principal.ts";
import { subjectOf } from "../kernel/subject.ts";
import type { WorkspaceEvents } from "../kernel/workspace-event.ts";
import { keepResult } from "./keep-result.ts";
import type { OpenWorkspaces } from "./open-workspaces.ts";
import type { HostEvents } from "./record-host-events.ts";
import type { WorkspaceRoom } from "./workspace-room.ts";

export interface AgentOptions {
  readonly models: () => Models;
  readonly path: Pick<CallPath, "handleCall" | "shape" | "identify" | "surfaces" | "refusedOutright">;
  readonly workspaces: Pick<OpenWorkspaces, "open" | "room">;
  readonly files: FilesOf;
  readonly archive: Pick<Archive, "events">;
  readonly events: HostEvents;
  readonly news: WorkspaceEvents;
  readonly report: (error: unknown) => void;
}

/** A run with delegates makes more events than a page holds; beyond these pages only the newest count. */
const PAGE = 1_000;
const MOST_PAGES = 10;

export const openAgent = (options: AgentOptions): OpenedAgent => {
  const { path, workspaces, events, news, report } = options;
  const record = (type: string, said: object, run: RunRecord, by: Principal, correlationId: string): Promise<void> =>
    events.inCorrelation(
      type,
      {
        id: correlationId,
        fresh: type === "run_started" && run.parent === null,
        causationId: run.parent?.invocationId ?? null,
      },
      { payload: { run_id: run.runId, ...said }, subject: subjectOf(by, "agent") },
    );
  let timeZone: string | null = null;
  const ports: AgentPorts = {
    models: options.models,
    async workspace(id) {
      await workspaces.open(id);
      return workspaceOf(workspaces.room(id), options);
    },
    handleCall: path.handleCall,
    shape: path.shape,
    identify: path.identify,
    surfaces: path.surfaces,
    refused: path.refusedOutright,
    recordStart: (run, by, correlationId) => record("run_started", startOf(run), run, by, correlationId),
    async recordChange({ type, conversationId, runId, more }, { principal, door }) {
      const payload = { conversation_id: conversationId, ...(runId === null ? {} : { run_id: runId }), ...more };
      const said = { payload, subject: subjectOf(principal, door) };
      if (runId === null) await events.writeBy(type, "conversations", said);
      else await events.inCorrelation(type, { id: runId, fresh: false, causationId: null }, said);
    },
    recordEnd: (run, by, ended) => record("run_ended", endOf(ended), run, by, ended.correlationId),
    async evidenceOf(correlation, workspace) {
      const reader = path.identify({ kind: "local", workspace }, "program");
      if (reader === null) return [];
      const newest: unknown[] = [];
      let before: number | null = Infinity;
      for (let page = 0; page < MOST_PAGES && before !== null; page++) {
        const found: EventPage = await options.archive.events(reader, { correlation, before, limit: PAGE });
        newest.push(...found.events);
        ({ before } = found);
      }
      return newest.toReversed();
    },
    conversationChanged: (workspace, conversation) =>
      news.publish(workspace, {
        type: "conversation.updated",
        data: { id: conversation.head.id },
        authors: conversation.authors(),
      }),
    timeZone: () => (timeZone ??= Intl.DateTimeFormat().resolvedOptions().timeZone),
    now: Date.now,
    report,
  };
  return createAgent(ports);
};

const workspaceOf = (room: WorkspaceRoom, { files, events }: AgentOptions): AgentWorkspace => ({
  settings: room.config,
  conversations: room.conversations,
  skills: room.skills.book,
  apps: () => room.bundles.all().map(promptApp).toSorted(byName),
  keepFile: (kept) => keepResult({ files: files(room.id), events }, kept),
});

const byName = (a: PromptApp, b: PromptApp): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

const promptApp = ({ name, entry, bundle }: KeptBundle): PromptApp => {
  const facts = bundle.facts();
  const ui = entry.ui ?? facts?.ui ?? null;
  return {
    name,
    ui: ui === null ? null : ui.name,
    trustScore: entry.trustScore ?? facts?.trustScore ?? null,
    description: facts?.description ?? null,
    instructions: bundle.catalogue().instructions,
  };
};

const startOf = ({ conversationId, model, skill, metadata, parent }: RunRecord): object => ({
  ...(conversationId === null ? {} : { conversation_id: conversationId }),
  model,
  ...(skill === null ? {} : { skill: { name: skill.name, phase: skill.phase, matched: skill.matched } }),
  ...(metadata === null ? {} : { metadata }),
  ...(parent === null ? {} : { parent_run_id: parent.runId, delegated_by: parent.invocationId }),
});

const endOf = (ended: RunEnded): object =>
  "error" in ended
    ? { error: ended.error, ...(ended.cancelledBy === undefined ? {} : { cancelled_by: ended.cancelledBy }) }
    : {
        stop_reason: ended.stopReason,
        input_tokens: ended.inputTokens,
        output_tokens: ended.outputTokens,
      };
