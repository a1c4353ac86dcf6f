/** The MIME type of a text by the `output_format` that it was made in. One that says nothing is plain text. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ["markdown", "text/markdown"],
  ["json", "application/json"],
  ["yaml", "application/yaml"],
  ["python", "text/x-python"],
  ["javascript", "text/javascript"],
  ["typescript", "text/x-typescript"],
  ["gherkin", "text/x-gherkin"],
  ["text", "text/plain"],
  ["html", "text/html"],
  ["xml", "application/xml"],
]);

export const mimeTypeOfFormat = (format: string): string => TYPES.get(format) ?? "text/plain";
