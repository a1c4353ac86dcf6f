/**
 * Reads a form of files. One file at a time is held, up to its limit: the next is not taken from the wire before the one
 * before it is stored. A failure leaves the files before it. Of a file that is too large one byte more than the limit is
 * handed on, so that it is refused where every file is.
 */
import busboy from "busboy";
import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { HostError } from "../kernel/host-error.ts";
import { Refusal } from "../kernel/refusal.ts";
import { callerLeft } from "./caller-left.ts";

export interface ReceivedFile {
  readonly filename: string;
  readonly mimeType: string;
  readonly bytes: Buffer;
  readonly tags: readonly string[];
  readonly description?: string;
}

export interface ReceiveOptions {
  readonly maxFileSize: number;
  /** Rejects for a file that is larger than `maxFileSize`. */
  readonly store: (file: ReceivedFile) => Promise<void>;
}

interface PartInfo {
  readonly filename: string | undefined;
  readonly mimeType: string;
}

/** What the fields before a file say of it. */
type Labels = Pick<ReceivedFile, "tags" | "description">;

const MAX_FILES = 100;
const MAX_FIELDS = 64;
const MAX_FIELD_BYTES = 8192;

const bad = (message: string, next: string): Refusal => new Refusal("bad_request", { message, next });

export const receiveFiles = async (req: IncomingMessage, options: ReceiveOptions): Promise<void> => {
  // Whoever has left already is not heard to leave.
  if (req.destroyed) throw callerLeft();
  const form = openForm(req, options.maxFileSize);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let turn = Promise.resolve();
  let labels: Labels = { tags: [] };
  let begun = false;
  let over = false;
  let stored = 0;

  const fail = (reason: unknown): void => {
    if (over) return;
    over = true;
    req.unpipe(form);
    form.destroy();
    // The rest is read and thrown away, so that the caller hears why.
    req.resume();
    // What is being stored meanwhile will be there.
    void turn.then(() => reject(reason));
  };
  const take = async (part: Readable, { filename, mimeType }: PartInfo, said: Labels): Promise<void> => {
    if (over) return;
    if (filename === undefined) throw bad("A file of the form has no name.", "Give each part a filename.");
    const bytes = await readPart(part, options.maxFileSize);
    if (over) return;
    await options.store({ filename, mimeType, bytes, ...said });
    if (bytes.length > options.maxFileSize) throw new HostError("a part of a file that is too large was stored");
    stored++;
  };

  form.on("file", (_, part, info) => {
    begun = true;
    const said = labels;
    // It may break off while an earlier one is being stored.
    part.on("error", () => {});
    turn = turn.then(() => take(part, info, said)).catch(fail);
  });
  form.on("field", (name, value, { valueTruncated }) => {
    const next = begun || valueTruncated ? null : addLabel(labels, name, value);
    if (next === null) fail(badField(name));
    else labels = next;
  });
  form.on("filesLimit", () =>
    fail(bad(`The form has more than ${MAX_FILES} files.`, "Send them in several requests.")),
  );
  form.on("fieldsLimit", () => fail(bad(`The form has more than ${MAX_FIELDS} fields.`, "Send fewer.")));
  form.on("error", () => fail(brokenForm()));
  form.on("close", () => void turn.then(() => over || resolve()));
  req.on("error", () => fail(callerLeft()));
  req.on("close", () => {
    if (!req.complete) fail(callerLeft());
  });
  req.pipe(form);
  await promise;
  if (stored === 0)
    throw bad("The form has no file.", 'Send each file as a part with a filename: curl -F "file=@notes.txt" <url>');
};

const openForm = (req: IncomingMessage, maxFileSize: number): busboy.Busboy => {
  const type = req.headers["content-type"] ?? "";
  if (!/^multipart\/form-data\s*(;|$)/i.test(type) || req.headers["content-encoding"] !== undefined) {
    throw new Refusal("unsupported_type", {
      message: "The body is not declared as a form of files.",
      next: "Send Content-Type: multipart/form-data with a boundary, not compressed.",
    });
  }
  // One byte more than allowed tells a file that is too large from one that just fits.
  const limits = { fileSize: maxFileSize + 1, files: MAX_FILES, fields: MAX_FIELDS, fieldSize: MAX_FIELD_BYTES };
  try {
    return busboy({ headers: req.headers, limits, defParamCharset: "utf8", preservePath: true });
  } catch {
    throw brokenForm();
  }
};

const readPart = async (part: Readable, maxFileSize: number): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of part as AsyncIterable<Buffer>) {
    size += chunk.length;
    chunks.push(chunk);
    if (size > maxFileSize) break;
  }
  return Buffer.concat(chunks);
};

const addLabel = (labels: Labels, name: string, value: string): Labels | null => {
  if (name === "tags") return { ...labels, tags: [...labels.tags, value] };
  return name === "description" && labels.description === undefined ? { ...labels, description: value } : null;
};

const badField = (name: string): Refusal =>
  bad(
    `The field ${JSON.stringify(name.slice(0, 64))} cannot be used there.`,
    `Send "tags" (repeatable) and "description" (once), each up to ${MAX_FIELD_BYTES} bytes, before the files they are for.`,
  );

const brokenForm = (): Refusal =>
  bad("The form is not whole, or not a form.", "Send multipart/form-data that ends with its closing boundary.");
