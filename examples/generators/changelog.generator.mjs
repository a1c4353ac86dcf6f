// A changelog in Markdown from a list of changes. Each has a text, and may have a version, a date and a kind:
//   { "version": "1.2.0", "date": "2026-03-01", "kind": "added", "text": "Plug-ins." }

const KINDS = ["added", "changed", "deprecated", "removed", "fixed", "security"];
const OTHER = "other";

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

// What goes wrong here is told to whoever asked for the text, so it says what to do.
const readEntry = (entry, index) => {
  if (!isObject(entry) || typeof entry.text !== "string" || entry.text.trim() === "") {
    throw new Error(`entries[${index}] needs a text: {"kind": "added", "text": "What is new."}`);
  }
  const { version = "Unreleased", date, kind = OTHER, text } = entry;
  const known = KINDS.includes(kind) ? kind : OTHER;
  return { heading: date === undefined ? `${version}` : `${version} (${date})`, kind: known, text: text.trim() };
};

// A text of several lines stays one item of the list.
const itemOf = ({ text }) => `- ${text.split(/\r?\n/).join("\n  ")}`;

const titleOf = (kind) => `### ${kind[0].toUpperCase()}${kind.slice(1)}`;

const releaseOf = (heading, entries) => {
  const byKind = Map.groupBy(entries, ({ kind }) => kind);
  const parts = [...KINDS, OTHER]
    .filter((kind) => byKind.has(kind))
    .map((kind) => `${titleOf(kind)}\n\n${byKind.get(kind).map(itemOf).join("\n")}`);
  return [`## ${heading}`, ...parts].join("\n\n");
};

export default {
  type: "changelog",
  version: "1.0.0",
  description: "A changelog in Markdown from a list of changes.",
  status: "stable",
  capabilities: ["markdown", "changelogs"],
  indicators: {
    config_field: "generation.patterns[0].type",
    config_values: ["changelog"],
    confidence: "high",
  },
  best_for: ["release notes", "changelogs"],

  generate({ context }) {
    const { title = "Changelog", entries = [] } = context;
    if (!Array.isArray(entries)) throw new Error('entries must be a list: [{"kind": "added", "text": "What is new."}]');
    // Releases stay in the order in which they are first named.
    const releases = Map.groupBy(entries.map(readEntry), ({ heading }) => heading);
    const parts = [...releases].map(([heading, of]) => releaseOf(heading, of));
    return [`# ${title}`, ...(parts.length === 0 ? ["Nothing has changed yet."] : parts)].join("\n\n");
  },
};
