/** For tests: configs that are valid, and what a test says otherwise about them. */
import type { ArtifactChild, ArtifactConfig, ContentConfig, GenerationPattern } from "./config-types.ts";

const schemaRef = { id: "content-schema", version: "3.1" };

export const contentConfig = (over: Readonly<Record<string, unknown>> = {}): ContentConfig =>
  ({
    type: "content",
    id: "letter",
    schemaRef,
    metadata: { description: "A letter.", version: "1.0.0" },
    elements: [{ name: "body" }],
    ...over,
  }) as ContentConfig;

export const patternConfig = (
  pattern: Partial<GenerationPattern>,
  over: Readonly<Record<string, unknown>> = {},
): ContentConfig => contentConfig({ generation: { patterns: [{ id: "first", ...pattern }] }, ...over });

export const artifactConfig = (
  children: readonly ArtifactChild[],
  metadata: Readonly<Record<string, unknown>> = {},
): ArtifactConfig =>
  ({
    type: "artifact",
    id: "book",
    schemaRef,
    metadata: {
      title: "Book",
      purpose: "To be read.",
      outputs: [{ file: "book.md", format: "markdown" }],
      ...metadata,
    },
    content: { children },
  }) as ArtifactConfig;
