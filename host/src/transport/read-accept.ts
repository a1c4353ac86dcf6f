/** Which of the two answer types a caller takes. No header counts as both. */
export interface Accepts {
  readonly json: boolean;
  readonly stream: boolean;
}

const BOTH: Accepts = { json: true, stream: true };

/** Null: neither. */
export const readAccept = (header: string | undefined): Accepts | null => {
  if (header === undefined || header === "application/json, text/event-stream" || header === "*/*") return BOTH;
  const parts = header.toLowerCase().split(",");
  const types = new Set(parts.map((part) => (part.split(";", 1)[0] ?? "").trim()));
  if (types.has("*/*")) return BOTH;
  const json = types.has("application/json") || types.has("application/*");
  const stream = types.has("text/event-stream") || types.has("text/*");
  return json || stream ? { json, stream } : null;
};
