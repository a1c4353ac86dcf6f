/** `GET /v1/files/:id`: the bytes of one file, read over the one call path as the resource `files://<id>`. */
import { HostError } from "../kernel/host-error.ts";
import type { RawJson } from "../kernel/raw-json.ts";
import type { CallFromRest } from "./call-from-rest.ts";
import type { ListenerDeps } from "./listener-deps.ts";
import { plainParams } from "./plain-params.ts";
import { restAnswer } from "./rest-answer.ts";
import type { RestRoute } from "./rest-route.ts";
import { sendFile, type SentFile } from "./send-file.ts";

/** What the host's own provider of files answers. */
interface FileContents {
  readonly contents: readonly {
    readonly mimeType: string;
    readonly text?: string;
    readonly blob?: string;
    readonly _meta: { readonly filename: string };
  }[];
}

export const createDownload = (deps: Pick<ListenerDeps, "shape">, callPath: CallFromRest): RestRoute["run"] => {
  return async (ask) => {
    const params = plainParams(`files://${ask.argument}`, {}, null);
    const answer = await callPath(ask, { operation: "read", provider: "files", params });
    if (answer.ending.kind === "result") {
      sendFile(ask.res, fileIn(answer.ending.json));
      return null;
    }
    return restAnswer(deps, answer);
  };
};

const fileIn = (json: RawJson): SentFile => {
  const [item] = (JSON.parse(json) as FileContents).contents;
  if (item === undefined) throw new HostError("a file was read and has no contents");
  const { mimeType, text, blob = "", _meta: meta } = item;
  const bytes = text === undefined ? Buffer.from(blob, "base64") : Buffer.from(text);
  return { filename: meta.filename, mimeType, bytes };
};
