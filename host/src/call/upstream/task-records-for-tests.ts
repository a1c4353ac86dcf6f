/** Records of tasks, and a store that keeps them for as long as a test runs. */
import type { Principal } from "../../kernel/principal.ts";
import type { TaskRecord, TaskStore } from "../../kernel/tasks.ts";

export const keepTasks = (): TaskStore => {
  const records = new Map<string, TaskRecord>();
  return {
    records: () => records.values(),
    save: async (record) => void records.set(record.id, record),
    remove: async (ids) => ids.forEach((id) => records.delete(id)),
    settled: () => Promise.resolve(),
  };
};

/** Whom `--no-auth` lets in. */
export const LOCAL: Principal = {
  id: "agent:local",
  kind: "agent",
  onBehalfOf: "person:local",
  roles: [],
  permissions: [],
  assurance: "local",
  scopes: null,
  workspace: "ws_default",
  credentialId: "local",
};

export const taskRecord = (id: string, over: Partial<TaskRecord> = {}): TaskRecord => ({
  id,
  upstreamId: `up-${id}`,
  provider: "p",
  tool: "t",
  definition: "sha256:0",
  flatName: "p__t",
  principal: LOCAL,
  declared: "{}",
  args: null,
  invocation: {
    id: `inv_${id}`,
    correlation: { id: "corr_1", causationId: null, parentId: null, traceId: null, fresh: false },
    salt: "00",
    capabilityId: "p__t",
    capabilityVersion: "1.0.0",
    capabilityUri: "p__t:1.0.0",
    subject: "null",
  },
  createdAt: Date.now(),
  ttlMs: null,
  pollMs: 1000,
  endedAt: null,
  ...over,
});
