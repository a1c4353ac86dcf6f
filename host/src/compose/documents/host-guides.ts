/**
 * What is known of the host's own tools beside their definitions: examples, the refusals that can really occur, and how long
 * a call usually takes until enough were made to say so. The tools themselves belong to other rooms.
 */
import type { ToolGuide } from "./tool-entry.ts";

type Told = ToolGuide["common_errors"][number];

const FILE = "fl_0123456789abcdef01234567";

const INPUT: Told = { code: "invalid_input", message: "An argument is unknown, missing or not as the schema says." };
const OFF: Told = { code: "disabled", message: "It is switched off in the features of the configuration." };
const NO_FILE: Told = { code: "resource_not_found", message: "There is no such file in this workspace." };
const NOT_ALLOWED: Told = { code: "permission_missing", message: "The caller lacks the permission bundles:manage." };
const ASKED: Told = { code: "approval_pending", message: "A person has to approve it first; call again afterwards." };

const SYSTEM: Readonly<Record<string, ToolGuide>> = {
  nb__discover_tools: {
    examples: [
      { input: { query: "create a calendar event", limit: 5 }, description: "Find tools by what they do" },
      { input: { query: "" }, description: "List the providers with the number of their tools" },
    ],
    common_errors: [INPUT, OFF],
    typical_ms: "1-50",
  },
  nb__discover_bundles: {
    examples: [
      { input: { query: "weather" }, description: "Find bundles for a subject" },
      { input: { query: "postgres", limit: 3 }, description: "The best three of them" },
    ],
    common_errors: [INPUT, OFF],
    typical_ms: "200-3000",
  },
  nb__manage_bundle: {
    examples: [
      { input: { action: "install", name: "@acme/weather", version: "1.2.0" }, description: "Install one version" },
      {
        input: { action: "configure", name: "weather", userConfig: { units: "metric" } },
        description: "Change a setting of one that is installed",
      },
      { input: { action: "uninstall", name: "weather" }, description: "Remove it; its data is kept" },
    ],
    common_errors: [
      INPUT,
      OFF,
      NOT_ALLOWED,
      ASKED,
      { code: "not_found", message: "No bundle of that name is installed." },
      { code: "already_installed", message: "It is installed already." },
      { code: "name_taken", message: "Another bundle or skill package has its name." },
      { code: "install_refused", message: "It is in no registry, or something about it does not let it in." },
      { code: "credentials_required", message: "It needs a setting that only a person can give." },
      { code: "not_ready", message: "It was fetched and did not come up." },
      { code: "protected", message: "Its entry is protected in the configuration." },
    ],
    typical_ms: "1000-60000",
  },
  nb__bundle_status: {
    examples: [
      { input: {}, description: "How all bundles are" },
      { input: { name: "weather" }, description: "How one of them is" },
    ],
    common_errors: [INPUT, { code: "not_found", message: "No bundle of that name is installed." }],
    typical_ms: "1-20",
  },
  nb__delegate: {
    examples: [
      { input: { task: "Summarise the file files://fl_0123456789abcdef01234567." }, description: "Hand on a task" },
      {
        input: { task: "Find all invoices of May and add them up.", tools: ["files__*"], maxIterations: 5 },
        description: "With some tools only, and few steps",
      },
    ],
    common_errors: [
      INPUT,
      OFF,
      { code: "unavailable", message: "The model of the sub-agent has no key in this host." },
      { code: "outside_delegate", message: "Sub-agents of sub-agents end here: this one may not delegate." },
      { code: "budget_exceeded", message: "The run has no tokens left, or has delegated as often as it may." },
      { code: "model_failed", message: "The model did not answer." },
    ],
    typical_ms: "3000-60000",
  },
  nb__manage_skill: {
    examples: [
      {
        input: {
          action: "create",
          name: "weekly-report",
          description: "How the weekly report is written.",
          body: "Begin with what changed.",
          triggers: ["weekly report"],
        },
        description: "Write a skill",
      },
      {
        input: { action: "update", name: "weekly-report", mode: "append", body: "End with what is next." },
        description: "Add to it",
      },
      { input: { action: "delete", name: "weekly-report" }, description: "Delete it; its text is kept" },
    ],
    common_errors: [
      INPUT,
      OFF,
      NOT_ALLOWED,
      ASKED,
      { code: "not_found", message: "There is no skill of that name to change." },
      { code: "too_large", message: "Its text would be longer than a skill may be." },
      { code: "quota_exceeded", message: "The workspace has as many skills as it may have." },
      { code: "upstream_failed", message: "The disk of the host did not take it." },
    ],
    typical_ms: "5-100",
  },
};

const FILES: Readonly<Record<string, ToolGuide>> = {
  files__list: {
    examples: [
      { input: {}, description: "The newest files" },
      {
        input: { tags: ["invoice"], mimeType: "application/pdf", sort: "filename", order: "asc", limit: 50 },
        description: "Files with a tag and of a type, by name",
      },
    ],
    common_errors: [INPUT],
    typical_ms: "1-20",
  },
  files__search: {
    examples: [
      { input: { query: "invoice may" }, description: "Files that have both words" },
      { input: { query: "budget", mimeType: "text/csv", limit: 5 }, description: "Tables about a subject" },
    ],
    common_errors: [INPUT, { code: "timed_out", message: "Too many files have these words; use longer ones." }],
    typical_ms: "5-200",
  },
  files__read: {
    examples: [
      { input: { id: FILE }, description: "Read a file from its beginning" },
      { input: { uri: `files://${FILE}`, offset: 50_000, length: 10_000 }, description: "Read on in a long text" },
    ],
    common_errors: [
      INPUT,
      NO_FILE,
      { code: "too_large", message: "It is no text and has more than 5 MiB." },
      { code: "upstream_failed", message: "Its bytes are missing or damaged on the disk of the host." },
    ],
    typical_ms: "1-50",
  },
  files__create: {
    examples: [
      { input: { filename: "notes.md", body: "# Notes\n", tags: ["draft"] }, description: "Store a text" },
      {
        input: { filename: "dot.gif", body: "R0lGODlhAQABAAAAACw=", encoding: "base64", mimeType: "image/gif" },
        description: "Store something that is no text",
      },
    ],
    common_errors: [
      INPUT,
      { code: "quota_exceeded", message: "It is too large, or the workspace has no room for it." },
    ],
    typical_ms: "5-100",
  },
  files__info: {
    examples: [
      { input: { id: FILE }, description: "What is known of a file" },
      { input: { id: "fl_fedcba987654321001234567" }, description: "And of another" },
    ],
    common_errors: [INPUT, NO_FILE],
    typical_ms: "1-10",
  },
  files__tag: {
    examples: [
      { input: { id: FILE, add: ["paid"], remove: ["open"] }, description: "Put one tag in the place of another" },
      { input: { id: FILE, add: ["2026", "invoice"] }, description: "Add two tags" },
    ],
    common_errors: [INPUT, NO_FILE],
    typical_ms: "5-50",
  },
  files__delete: {
    examples: [
      { input: { id: FILE }, description: "Delete a file for good" },
      { input: { id: "fl_fedcba987654321001234567" }, description: "And another: there is one call for each" },
    ],
    common_errors: [INPUT, NO_FILE],
    typical_ms: "5-50",
  },
  files__roots: {
    // It takes nothing, and so there is one way to call it.
    examples: [
      { input: {}, description: "Which folders workspace:// paths are resolved in" },
      { input: {}, description: "The names that workspace://@name/ may have" },
    ],
    common_errors: [INPUT],
    typical_ms: "1-5",
  },
};

const SKILLS: Readonly<Record<string, ToolGuide>> = {
  skills__read: {
    examples: [
      { input: { name: "weekly-report" }, description: "Read the instructions of a skill" },
      { input: { name: "pdf-forms", file: "references/forms.md" }, description: "Read another file of a skill" },
    ],
    common_errors: [
      { code: "invalid_input", message: "An argument is not as the schema says, or the file is no text." },
      { code: "not_found", message: "There is no such skill, or it has no such file." },
      { code: "too_large", message: "The file has more bytes than a file of a skill may have." },
      { code: "not_ready", message: "The skill is a package that cannot be used now." },
      { code: "upstream_failed", message: "The server that the skill comes from did not give it." },
    ],
    typical_ms: "1-50",
  },
};

const GUIDES: ReadonlyMap<string, ToolGuide> = new Map(Object.entries({ ...SYSTEM, ...FILES, ...SKILLS }));

/** By its full name; undefined: it is none of the host's own. */
export const hostGuideOf = (flatName: string): ToolGuide | undefined => GUIDES.get(flatName);
