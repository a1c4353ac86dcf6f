/** The JSON Schemas that the tools of the file store share. */
export const text = (description: string, limits: object = {}): object => ({ type: "string", description, ...limits });

export const integer = (description: string, limits: object): object => ({ type: "integer", description, ...limits });

export const object = (properties: Readonly<Record<string, object>>, required: readonly string[] = []): object => ({
  type: "object",
  properties,
  ...(required.length === 0 ? {} : { required }),
  additionalProperties: false,
});

export const tagList = (description: string): object => ({
  type: "array",
  description,
  items: { type: "string", minLength: 1, maxLength: 64 },
  maxItems: 32,
});

export const fileId = text("Id of the file, fl_<24 hex digits>", { minLength: 1, maxLength: 100 });
export const mimePrefix = text("Only files whose MIME type begins like this: image/ or text/csv", { maxLength: 255 });
export const pageSize = integer("How many to return at most", { minimum: 1, maximum: 100, default: 20 });
export const MAX_OFFSET = Number.MAX_SAFE_INTEGER;

export const fileInfo = object(
  {
    id: text("Id of the file"),
    uri: text("files://<id>: what other tools take to read this file"),
    filename: text("Its name"),
    mimeType: text("Its MIME type"),
    size: { type: "integer", description: "In bytes", minimum: 0 },
    sha256: text("Of its bytes, in hex"),
    tags: { type: "array", items: { type: "string" } },
    description: text("What it is"),
    createdAt: text("ISO 8601"),
    createdBy: text("Who made it"),
  },
  ["id", "uri", "filename", "mimeType", "size", "sha256", "tags", "createdAt", "createdBy"],
);

export const oneFile = object({ file: fileInfo }, ["file"]);

export const filePage = object(
  {
    files: { type: "array", items: fileInfo },
    total: { type: "integer", description: "How many match, shown or not", minimum: 0 },
  },
  ["files", "total"],
);
