/**
 * The documents of the `capabilities://` family, read from the one registry for one reader on one endpoint. Counts are those
 * of the very lists that the other documents show.
 */
import type { Principal } from "../../kernel/principal.ts";
import type { SurfaceFacts, SurfaceFactsOf, ToolFacts } from "../../kernel/tool-facts.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { ComposeTool } from "../tools/compose-tool.ts";
import { seenBy } from "../resources/seen-by.ts";
import type { GeneratorBook, GeneratorsSeen } from "../workbench.ts";
import type { CallTimes } from "./call-times.ts";
import type { ComposeResources } from "./compose-families.ts";
import type { CapabilityDocument, DocumentReader } from "./document-shelf.ts";
import { DocumentText } from "./document-text.ts";
import { FamiliesReader } from "./families-reader.ts";
import { featuresOf } from "./features-of.ts";
import { CAPABILITY_TYPES, OVERVIEW_URI, uriOfType, type CapabilityType } from "./family.ts";
import { generatorsDocument } from "./generators-document.ts";
import { hostDocument, type HostFacts } from "./host-document.ts";
import { hostGuideOf } from "./host-guides.ts";
import { overviewDocument } from "./overview-document.ts";
import { resourcesDocument } from "./resources-document.ts";
import { serverDocument, type ServerFacts } from "./server-document.ts";
import { categoryOf } from "./tool-categories.ts";
import type { DescribedTool } from "./tool-entry.ts";
import { ToolsReader } from "./tools-reader.ts";

const PROVIDER = "compose";

export interface DocumentPorts {
  readonly surfaceFacts: SurfaceFactsOf;
  /** Of the provider `compose` itself. */
  readonly tools: readonly ComposeTool[];
  readonly times: Pick<CallTimes, "typical">;
  /** How long a call of a tool of another provider may take; null: nothing ends it but its caller. */
  readonly limitOf: (tool: ToolFacts) => number | null;
  readonly isSkillPackage: (provider: string) => boolean;
  readonly generators: GeneratorBook;
  /** What of compose can be read now. */
  readonly there: () => Promise<ComposeResources>;
  /** There is a folder that configs and artifacts can be written to. */
  readonly hasRoot: () => boolean;
  readonly server: () => Omit<ServerFacts, "counts" | "features">;
  readonly host: (reader: Principal) => Promise<Omit<HostFacts, "states">>;
  /** `capabilities://skills`, and how many it lists. */
  readonly skills: (reader: Principal) => Promise<{ readonly document: object; readonly count: number }>;
}

export const capabilityDocuments = (ports: DocumentPorts): readonly CapabilityDocument[] => {
  const reading = new Reading(ports);
  const read: Readonly<Record<CapabilityType["type"], CapabilityDocument["read"]>> = {
    server: (by) => reading.server(by),
    tools: (by) => reading.tools.read(reading.facts(by)),
    resources: async (by) => resourcesDocument(await reading.families.read(reading.facts(by)), ports.server().version),
    generators: (by) => reading.generators(by),
    host: async (by) => {
      const states = reading.facts(by).tools.map(({ lifecycle }) => lifecycle.state);
      return hostDocument({ ...(await ports.host(by.reader)), states });
    },
    skills: async (by) => (await reading.skills(by)).document,
  };
  const overview: CapabilityDocument = {
    uri: OVERVIEW_URI,
    name: "capabilities",
    title: "Capabilities",
    description: "What this host can do: begin here. Names the documents of the family and the order to read them in.",
    read: (by) => reading.overview(by),
  };
  const documents: CapabilityDocument[] = [overview];
  for (const { type, title, purpose: description } of CAPABILITY_TYPES) {
    const document = { uri: uriOfType(type), name: type, title, description, read: read[type] };
    documents.push(type === "tools" ? { ...document, parts: reading.toolParts() } : document);
  }
  return documents;
};

class Reading {
  readonly #ports: DocumentPorts;
  readonly tools: ToolsReader<SurfaceFacts>;
  readonly families: FamiliesReader;
  readonly #own: ReadonlyMap<string, ComposeTool>;
  readonly #generators = new WeakMap<GeneratorsSeen, DocumentText>();

  constructor(ports: DocumentPorts) {
    this.#ports = ports;
    this.#own = new Map(ports.tools.map((tool) => [tool.name, tool]));
    this.families = new FamiliesReader(ports.there);
    this.tools = new ToolsReader({
      times: ports.times,
      version: ports.server().version,
      describe: (facts) => facts.tools.map((tool) => this.#describe(tool)),
    });
  }

  /** The same object for as long as the reader's surface is the same. */
  facts({ reader, endpoint }: DocumentReader): SurfaceFacts {
    const facts = this.#ports.surfaceFacts(reader, endpoint);
    if (facts === null) throw gone();
    return facts;
  }

  /** Written once for as long as there are the same. */
  async generators({ reader }: DocumentReader): Promise<DocumentText> {
    const seen = seenBy(reader, await this.#ports.generators.look());
    const known = this.#generators.get(seen);
    if (known !== undefined) return known;
    const text = DocumentText.of(generatorsDocument({ ...seen, version: this.#ports.server().version }));
    this.#generators.set(seen, text);
    return text;
  }

  async server(by: DocumentReader): Promise<object> {
    const { generators, server } = this.#ports;
    const facts = this.facts(by);
    const seen = seenBy(by.reader, await generators.look());
    const counts = {
      tools: facts.tools.length,
      resources: this.families.count(facts),
      generators: seen.generators.length,
    };
    return serverDocument({ ...server(), counts, features: featuresOf(facts, this.#ports.hasRoot()) });
  }

  async overview(by: DocumentReader): Promise<object> {
    const { name, version } = this.#ports.server();
    const facts = this.facts(by);
    const [found, skills] = await Promise.all([this.#ports.generators.look(), this.skills(by)]);
    const seen = seenBy(by.reader, found);
    return overviewDocument({
      name,
      version,
      surfaceVersion: facts.surface.token,
      counts: {
        tools: facts.tools.length,
        resources: this.families.count(facts),
        generators: seen.generators.length,
        skills: skills.count,
      },
    });
  }

  /** One provider's endpoint has the tools of that provider, and so no skill of another. */
  async skills({ reader, endpoint }: DocumentReader): Promise<{ readonly document: object; readonly count: number }> {
    if (endpoint === null) return this.#ports.skills(reader);
    const { version } = this.#ports.server();
    return { document: { skills: [], metadata: { total_count: 0, version } }, count: 0 };
  }

  toolParts(): NonNullable<CapabilityDocument["parts"]> {
    return {
      parameter: "provider",
      title: "Tools of one provider",
      description: "What capabilities://tools says of the tools of one provider.",
      names: (by) => [...new Set(this.facts(by).tools.map(({ provider }) => provider))],
      read: (by, provider) => this.tools.readPart(this.facts(by), provider),
    };
  }

  #describe(tool: ToolFacts): DescribedTool {
    const own = tool.provider === PROVIDER ? this.#own.get(tool.tool.name) : undefined;
    const timeoutMs =
      own === undefined ? this.#ports.limitOf(tool) : Math.min(own.timeoutMs, tool.timeoutMs ?? Infinity);
    const category = own?.category ?? categoryOf(tool.provider, this.#ports.isSkillPackage(tool.provider));
    const guide = own?.guide ?? (category === "host" ? hostGuideOf(tool.flatName) : undefined);
    return { ...tool, category, timeoutMs, ...(guide === undefined ? {} : { guide }) };
  }
}

const gone = (): Refusal =>
  new Refusal("not_found", {
    message: "This endpoint has nothing to be seen.",
    next: "List the tools of /mcp with tools/list.",
  });
