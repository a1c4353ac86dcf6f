/** What this host can do, in documents for programs that know nothing of it yet. */
import { OF_A_CALL, type Family } from "./described.ts";
import { anyObject, count, flag, list, number, object, orNull, ref, said, text } from "./schema.ts";

const DOCUMENT = said("As the same URI answers over MCP, and as the caller's surface is now", anyObject);

export const CAPABILITIES: Family = {
  tag: "capabilities",
  routes: {
    "GET /v1/capabilities": {
      id: "listCapabilityDocuments",
      summary: "Which documents there are about this host: capabilities://",
      description: "A program that knows nothing begins here and reads what `workflow` names, in that order.",
      answers: [{ text: "The overview", schema: ref("CapabilityOverview") }],
      refusals: OF_A_CALL,
    },
    "GET /v1/capabilities/*": {
      id: "getCapabilityDocument",
      summary: "One document about this host: capabilities://{type}",
      description:
        "The types are in the overview: server, tools, resources, generators, host, skills. One that is not there is refused with `resource_not_found`, and `data.details.known` has those that are.",
      at: ["type"],
      answers: [{ text: "The document", schema: DOCUMENT }],
      refusals: OF_A_CALL,
    },
    "GET /v1/capabilities/tools/*": {
      id: "getProviderToolsDocument",
      summary: "The tools of one provider: capabilities://tools/{provider}",
      at: ["provider"],
      answers: [{ text: "As the document of all tools, cut to this provider", schema: DOCUMENT }],
      refusals: OF_A_CALL,
    },
  },
  schemas: {
    CapabilityOverview: object({
      name: text,
      version: text,
      format: text,
      surface_version: text,
      entries: list(
        object({
          uri: text,
          purpose: text,
          mime_type: text,
          cached: said("While the surface is the same one, it is the same document", flag),
          target_ms: orNull(number),
          count: said("How many things it lists; null: it is no list", orNull(count)),
        }),
      ),
      workflow: list(text),
    }),
  },
};
