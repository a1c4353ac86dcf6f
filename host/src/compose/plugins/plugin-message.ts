/** What the process of a plug-in may say, one JSON value a line. Whoever writes the plug-in may write there too. */
export type PluginMessage =
  | { readonly kind: "loaded"; readonly members: unknown; readonly generates: boolean }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "untyped"; readonly version: string }
  | { readonly kind: "spoilt" }
  | { readonly kind: "begun"; readonly id: number }
  | { readonly kind: "heard"; readonly id: number }
  | { readonly kind: "text"; readonly id: number; readonly text: string }
  | { readonly kind: "error"; readonly id: number; readonly message: string }
  | { readonly kind: "wrong"; readonly id: number; readonly type: string }
  | { readonly kind: "size"; readonly id: number; readonly size: number };

/** How a request ends. */
export type PluginAnswer = Extract<PluginMessage, { kind: "text" | "error" | "wrong" | "size" }>;

/** Null: it is none. */
export const readPluginMessage = (line: string): PluginMessage | null => {
  const value = parse(line);
  if (typeof value !== "object" || value === null) return null;
  const { id, loaded, generates, failed, untyped, spoilt, begun, heard } = value as Readonly<Record<string, unknown>>;
  if (typeof id === "number") return readAnswer(id, value as Readonly<Record<string, unknown>>);
  if (typeof failed === "string") return { kind: "failed", message: failed };
  if (typeof untyped === "string") return { kind: "untyped", version: untyped };
  if (typeof begun === "number") return { kind: "begun", id: begun };
  if (typeof heard === "number") return { kind: "heard", id: heard };
  if (spoilt === true) return { kind: "spoilt" };
  return typeof generates === "boolean" ? { kind: "loaded", members: loaded, generates } : null;
};

const readAnswer = (
  id: number,
  { text, error, wrong, size }: Readonly<Record<string, unknown>>,
): PluginAnswer | null => {
  if (typeof text === "string") return { kind: "text", id, text };
  if (typeof error === "string") return { kind: "error", id, message: error };
  if (typeof wrong === "string") return { kind: "wrong", id, type: wrong };
  return typeof size === "number" ? { kind: "size", id, size } : null;
};

const parse = (line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
};
