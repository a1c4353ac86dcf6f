/** A host from source whose one bundle may be called by programs only when a person allows it, and that person. */
import { setTimeout as sleep } from "node:timers/promises";
import { createCli, type Cli } from "./cli-for-tests.ts";
import { askRest, openHouse, type House } from "./doors-for-tests.ts";
import { startTaskServer, type TaskServer } from "./task-client-for-tests.ts";

const PATIENCE_MS = 20_000;

export interface Approval {
  readonly id: string;
  readonly state: string;
  readonly tool: string;
  readonly correlation_id: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly consumed_by?: string;
}

export interface ApprovalHouse {
  readonly cli: Cli;
  house: House;
  readonly server: TaskServer;
  /** The one that waits for a call with these arguments, once there is one. */
  pending(args?: object): Promise<Approval>;
  /** Of calls with these arguments. */
  approvals(args?: object): Promise<readonly Approval[]>;
  decide(id: string, decision: "approve" | "deny", reason?: string): Promise<void>;
  /** Ends it, and starts another in its place. */
  restart(signal?: "SIGTERM" | "SIGKILL"): Promise<void>;
  /** Types of all events that belong together with an approval, in order. */
  events(approval: Approval): Promise<readonly string[]>;
  clean(): Promise<void>;
}

export const openApprovalHouse = async (waitSeconds: number): Promise<ApprovalHouse> => {
  const server = await startTaskServer();
  const cli = createCli();
  cli.configure({
    workDir: "work",
    noDefaultBundles: true,
    allowInsecureRemotes: true,
    bundles: [{ url: `http://127.0.0.1:${server.port}/mcp`, serverName: "fixture" }],
    approvals: { waitSeconds },
    policy: {
      rules: [
        { id: "ask-first", match: { tools: ["fixture__*"], principals: ["agent:*"] }, effect: "require_approval" },
      ],
    },
  });
  const made: ApprovalHouse = {
    cli,
    server,
    house: await openHouse(cli, "fixture"),
    approvals: async (args = {}) => {
      const { json } = await askRest(made.house, "/v1/approvals");
      const all = json.approvals as Approval[];
      return all.filter((each) => JSON.stringify(each.arguments) === JSON.stringify(args));
    },
    pending: async (args) => {
      for (const late = Date.now() + PATIENCE_MS; Date.now() < late; await sleep(20)) {
        const found = (await made.approvals(args)).find(({ state }) => state === "pending");
        if (found) return found;
      }
      throw new Error("nothing waits");
    },
    decide: async (id, decision, reason) => {
      const body = { decision, ...(reason !== undefined && { reason }) };
      const { status, text } = await askRest(made.house, `/v1/approvals/${id}`, { method: "POST", body });
      if (status !== 200) throw new Error(text);
    },
    restart: async (signal = "SIGTERM") => {
      made.house.serving.signal(signal);
      await made.house.serving.exited;
      made.house = await openHouse(cli, "fixture");
    },
    events: async ({ correlation_id: id }) => {
      const { json } = await askRest(made.house, `/v1/evidence?correlation=${id}&limit=200`);
      const events = json.events as { readonly event_type: string; readonly correlation: { correlation_id: string } }[];
      const own = events.filter(({ correlation }) => correlation.correlation_id === id);
      return own.map(({ event_type: type }) => type).toReversed();
    },
    clean: async () => {
      await cli.clean();
      await server.stop();
    },
  };
  return made;
};
