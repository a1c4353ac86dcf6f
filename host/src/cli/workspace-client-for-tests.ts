/** The API as a program uses it: with a key, perhaps for a workspace; and what the host has recorded of it. */
import { setTimeout as sleep } from "node:timers/promises";
import type { FileInfo } from "../kernel/files.ts";
import type { Served } from "./serve-for-tests.ts";

export interface Said {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  readonly json: any;
}

export interface ApiClient {
  ask(method: string, path: string, body?: object | FormData): Promise<Said>;
  /** The result of a tool; fails the test for anything else. */
  call(name: string, args?: object): Promise<Said["json"]>;
  /** One file, as it was stored. */
  upload(name: string, bytes: string | Uint8Array<ArrayBuffer>, type?: string): Promise<FileInfo>;
}

export const apiClient = (origin: string, key: string | null, workspace?: string): ApiClient => {
  const ask: ApiClient["ask"] = async (method, path, body) => {
    const isForm = body instanceof FormData;
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(workspace === undefined ? {} : { "x-workspace-id": workspace }),
        ...(body === undefined || isForm ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json") && text !== "";
    return { status: response.status, text, headers: response.headers, json: isJson ? JSON.parse(text) : null };
  };
  return {
    ask,
    async call(name, args = {}) {
      const { status, json, text } = await ask("POST", "/v1/tools/call", { name, arguments: args });
      if (status !== 200) throw new Error(`${name}: ${status} ${text.slice(0, 500)}`);
      return json;
    },
    async upload(name, bytes, type) {
      const { status, json, text } = await ask("POST", "/v1/files", formOf({}, [name, bytes, type]));
      if (status !== 201) throw new Error(`${name}: ${status} ${text.slice(0, 500)}`);
      return (json as { files: [FileInfo] }).files[0];
    },
  };
};

const PATIENCE_MS = 30_000;

/** Bundles of another workspace start when somebody first comes. */
export const whenRunning = async (client: ApiClient, ...names: readonly string[]): Promise<void> => {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const { providers } = (await client.ask("GET", "/v1/providers")).json as {
      providers: { name: string; status: { state: string } }[];
    };
    const waiting = names.filter((name) => providers.find((row) => row.name === name)?.status.state !== "running");
    if (waiting.length === 0) return;
    if (Date.now() > end) throw new Error(`not running: ${waiting.join(", ")}`);
    await sleep(50);
  }
};

/** With a key of its own, made by the owner. */
export const keyFor = async (owner: ApiClient, key: object): Promise<string> => {
  const { status, json, text } = await owner.ask("POST", "/v1/keys", key);
  if (status !== 201) throw new Error(text);
  return (json as { secret: string }).secret;
};

type FormFile = readonly [name: string, bytes: string | Uint8Array<ArrayBuffer>, type?: string];

/** A form with these fields, and then these files. */
export const formOf = (fields: Readonly<Record<string, string>>, ...files: readonly FormFile[]): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const [name, bytes, type = "text/plain"] of files) form.append("file", new Blob([bytes], { type }), name);
  return form;
};

export interface RecordedEvent {
  readonly event_type: string;
  readonly subject: Readonly<Record<string, unknown>> | null;
  readonly capability_id: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** The whole export: as text and by event. */
export const exportEvidence = async (host: Served): Promise<{ text: string; events: RecordedEvent[] }> => {
  const { code, stdout, stderr } = await host.run("evidence", "export");
  if (code !== 0) throw new Error(`The evidence could not be exported: ${stderr}`);
  const lines = stdout.split("\n").filter((line) => line !== "");
  const records = lines.map((line) => JSON.parse(line) as RecordedEvent);
  return { text: stdout, events: records.filter((record) => "event_type" in record) };
};
