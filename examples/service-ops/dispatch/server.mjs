import { fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const TECHNICIANS = { hvac: "Ines", electrical: "Tomas", plumbing: "Oya" };
const PARTS = { "filter-20": 14, "valve-3": 0, "fuse-16": 120 };

const scheduling = fromJsonSchema({
  type: "object",
  properties: {
    job: { type: "string", description: "The job this visit belongs to." },
    skill: { type: "string", enum: Object.keys(TECHNICIANS) },
    window: { type: "string", description: "Date and hours, such as 2026-12-01 09:00-12:00." },
  },
  required: ["job", "skill", "window"],
  additionalProperties: false,
});
const inventory = fromJsonSchema({
  type: "object",
  properties: { part: { type: "string" } },
  required: ["part"],
  additionalProperties: false,
});

const answer = (structuredContent) => ({
  content: [{ type: "text", text: JSON.stringify(structuredContent) }],
  structuredContent,
});

serveStdio(() => {
  const server = new McpServer({ name: "dispatch", version: "1.0.0" });
  server.registerTool(
    "schedule_technician",
    {
      description: "Finds an available qualified technician and reserves a service window.",
      inputSchema: scheduling,
    },
    async ({ job, skill, window }) =>
      answer({ status: "confirmed", job, technician: TECHNICIANS[skill], window, appointment: `apt-${job}` }),
  );
  server.registerTool(
    "query_inventory",
    {
      description: "Says how many of a spare part are in stock.",
      inputSchema: inventory,
      annotations: { readOnlyHint: true, idempotentHint: true },
    },
    async ({ part }) => answer({ part, inStock: PARTS[part] ?? 0 }),
  );
  return server;
});
