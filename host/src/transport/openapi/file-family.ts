/** The files of the workspace. */
import { OF_A_CALL, type Family } from "./described.ts";
import { between, count, flag, list, object, ref, said, text, time, word } from "./schema.ts";

export const FILES: Family = {
  tag: "files",
  routes: {
    "GET /v1/files": {
      id: "listFiles",
      summary: "The files of the workspace; with q those that have its words",
      query: {
        q: said("At most eight words"),
        limit: between(1, 100),
        offset: count,
        tags: said("May be there several times: all of them", list(text)),
        mimeType: said("A prefix"),
        sort: word("createdAt", "filename", "size"),
        order: word("asc", "desc"),
      },
      answers: [{ text: "A page of them", schema: object({ files: list(ref("FileInfo")), total: count }) }],
      refusals: OF_A_CALL,
    },
    "POST /v1/files": {
      id: "uploadFiles",
      summary: "Upload files as a form",
      body: {
        type: "multipart/form-data",
        schema: said("Each file at most files.maxFileSize", { type: "object" }),
      },
      answers: [{ status: 201, text: "What was stored", schema: object({ files: list(ref("FileInfo")) }) }],
      refusals: OF_A_CALL,
    },
    "GET /v1/files/*": {
      id: "downloadFile",
      summary: "The bytes of a file, as an attachment",
      at: ["id"],
      answers: [{ text: "The bytes", type: "*/*", schema: { type: "string", format: "binary" } }],
      refusals: OF_A_CALL,
    },
    "DELETE /v1/files/*": {
      id: "deleteFile",
      summary: "Delete a file for good",
      at: ["id"],
      answers: [{ text: "It is gone", schema: object({ id: text, deleted: flag }) }],
      refusals: OF_A_CALL,
    },
  },
  schemas: {
    FileInfo: object({
      id: text,
      uri: text,
      filename: text,
      mimeType: text,
      size: count,
      sha256: text,
      tags: list(text),
      "description?": text,
      createdAt: time,
      createdBy: text,
    }),
  },
};
