/** Tells the server of a task which roots there are, when it asks that and not its caller. Recorded before it is said. */
import type { Principal } from "../../kernel/principal.ts";
import type { Provider } from "../../kernel/provider.ts";
import type { RootsOf } from "../../kernel/roots.ts";
import { rootsOfCall } from "../../kernel/roots-of-call.ts";
import type { OpenInvocation } from "../../kernel/tasks.ts";
import { writeInputResponses } from "./input-requests.ts";
import { declaredOf, type PollerOptions } from "./task-poller.ts";
import { sendAboutTask } from "./task-send.ts";

const ANSWER_MS = 10_000;

interface RootAnswering {
  readonly rootsOf: RootsOf;
  /** As this principal sees it; null: it is not there. */
  readonly findProvider: (name: string, principal: Principal) => Provider | null;
  readonly note: (invocation: OpenInvocation, note: RootNote) => Promise<void>;
}

interface RootNote {
  readonly type: "dev.bailiwick.round";
  readonly facts: Readonly<Record<string, unknown>>;
  readonly said: Readonly<Record<string, string>>;
}

/** False: its server is not there. Throws as `Provider.send` does, or the Refusal of the log. */
export const answerTaskRoots =
  ({ rootsOf, findProvider, note }: RootAnswering): PollerOptions["answerRoots"] =>
  async ({ record }, asks) => {
    const { principal, upstreamId, invocation } = record;
    const provider = findProvider(record.provider, principal);
    if (provider?.status().state !== "running") return false;
    const { listing } = rootsOfCall(rootsOf, record);
    const responses = writeInputResponses(
      asks,
      asks.map(() => listing),
    );
    const questions = asks.map(({ params }) => params).join(",");
    await note(invocation, {
      type: "dev.bailiwick.round",
      facts: { method: "roots/list", task: record.id },
      said: { question_commitment: questions, answer_commitment: responses },
    });
    const signal = AbortSignal.timeout(ANSWER_MS);
    const declared = declaredOf(record);
    await sendAboutTask(provider, { method: "tasks/update", upstreamId, principal, declared, signal, responses });
    return true;
  };
