// A bundle that reads a file of the workspace where the host lets it, and takes the text itself where the host does not.
import { host, RateLimited, ResourceNotFound, ResponseTooLarge } from "@bailiwick/bundle-sdk";
import { fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const inputSchema = fromJsonSchema({
  type: "object",
  properties: {
    seed_uri: { type: "string", description: "A file of the workspace, such as files://fl_…" },
    seed_data: { type: "string", description: "The text itself, where the host cannot read files for this tool." },
  },
  additionalProperties: false,
});

/** What an agent can do about an answer of the host. Anything else is a fault, and stays one. */
const advise = (error) => {
  if (error instanceof ResourceNotFound) return new Error(`There is no file ${error.uri}. List the files and use one.`);
  if (error instanceof RateLimited) return new Error(`Too many reads. Try again in ${error.retryAfterMs} ms.`);
  if (error instanceof ResponseTooLarge) {
    return new Error(
      `The file has ${error.size} bytes, and ${error.maxSize} can be read. Pass a part via \`seed_data\`.`,
    );
  }
  return error;
};

const readText = async (h, uri) => {
  const { contents } = await h.read(uri).catch((error) => {
    throw advise(error);
  });
  const [{ text, mimeType }] = contents;
  if (text === undefined) throw new Error(`${uri} is ${mimeType}, not text. Pass its text via \`seed_data\`.`);
  return text;
};

/** The order matters: what the host can read, then what was passed, then the reason why neither works. */
const readSeed = async (h, { seed_uri: uri, seed_data: data }) => {
  if (uri && h.available) return readText(h, uri);
  if (data) return data;
  if (uri) {
    throw new Error(
      "This host doesn't support ai.nimblebrain/host-resources. Pass file contents inline via `seed_data` instead.",
    );
  }
  throw new Error("Provide `seed_data` or `seed_uri`.");
};

const plan = (content) => {
  const topic = content.split("\n").find((line) => line.trim() !== "") ?? "";
  const words = content.toLowerCase().match(/\p{L}{5,}/gu) ?? [];
  const terms = [...new Set(words)].slice(0, 5);
  return { topic: topic.replace(/^#+\s*/, "").slice(0, 200), characters: content.length, terms };
};

serveStdio(() => {
  const server = new McpServer({ name: "research", version: "1.0.0" });
  server.registerTool(
    "start_research",
    { description: "Starts research from a seed: a file of the workspace, or text.", inputSchema },
    async (args, ctx) => {
      const found = plan(await readSeed(host(ctx, server), args));
      return { content: [{ type: "text", text: JSON.stringify(found) }], structuredContent: found };
    },
  );
  return server;
});
