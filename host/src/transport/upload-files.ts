/**
 * `POST /v1/files`: each file of a form is a call of `files__create`. The first that does not become a file ends it, and the
 * answer says which are there already.
 */
import type { Answer } from "../kernel/call.ts";
import type { FileInfo } from "../kernel/files.ts";
import type { Principal } from "../kernel/principal.ts";
import { rawJson } from "../kernel/raw-json.ts";
import { Refusal } from "../kernel/refusal.ts";
import { memberOf, sliceJson } from "../kernel/scan-json.ts";
import type { CallFromRest, RestOrder } from "./call-from-rest.ts";
import type { ListenerDeps } from "./listener-deps.ts";
import { plainParams } from "./plain-params.ts";
import type { ReceivedFile } from "./receive-files.ts";
import { restAnswer } from "./rest-answer.ts";
import { ok, type RestRoute } from "./rest-route.ts";
import { refusedAnswer } from "./run-call.ts";

/** The call ended otherwise than with a file. */
class NoFile extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super("the file was not made");
    this.answer = answer;
  }
}

export const createUpload = (deps: ListenerDeps, callPath: CallFromRest): RestRoute["run"] => {
  return async (ask) => {
    const made: FileInfo[] = [];
    try {
      // What reads forms is not needed before the first one comes.
      const { receiveFiles } = await import("./receive-files.ts");
      await receiveFiles(ask.req, {
        maxFileSize: deps.limits.maxFileSize,
        store: async (file) => void made.push(fileIn(await callPath(ask, orderOf(file)))),
      });
      return ok({ files: made }, 201);
    } catch (no) {
      return restAnswer(deps, withMade(answerTo(no, ask.caller.principal), made));
    }
  };
};

/** Base64 needs no escapes, so it is not looked through for any. */
const orderOf = ({ bytes, ...label }: ReceivedFile): RestOrder => {
  const body = bytes.toString("base64");
  const said = { ...label, encoding: "base64" };
  const argsJson = rawJson(`${JSON.stringify(said).slice(0, -1)},"body":"${body}"}`);
  return { operation: "call", provider: null, params: plainParams("files__create", { ...said, body }, argsJson) };
};

const fileIn = (answer: Answer): FileInfo => {
  const { ending } = answer;
  const span = ending.kind === "result" && !ending.isError ? memberOf(ending.json, "structuredContent") : null;
  if (ending.kind !== "result" || span === null) throw new NoFile(answer);
  return (JSON.parse(sliceJson(ending.json, span)) as { readonly file: FileInfo }).file;
};

const answerTo = (no: unknown, principal: Principal): Answer => {
  if (no instanceof NoFile) return no.answer;
  if (no instanceof Refusal) return refusedAnswer(no, principal);
  throw no;
};

const withMade = (answer: Answer, made: readonly FileInfo[]): Answer => {
  const { ending } = answer;
  if (ending.kind !== "refusal" || made.length === 0) return answer;
  const { kind, message, next, details, retryAfterMs, retryable } = ending.refusal;
  const refusal = new Refusal(kind, {
    message: `${message} ${made.length} of the form's files were stored before.`,
    next,
    details: { ...details, created: made.map(({ id }) => id) },
    retryable,
    ...(retryAfterMs === null ? {} : { retryAfterMs }),
  });
  return { ...answer, ending: { ...ending, refusal } };
};
