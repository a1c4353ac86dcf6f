/** All tools of compose, in the order in which they are listed in its guide. */
import type { Workbench } from "../workbench.ts";
import { assembleArtifactTool, type AssembleArtifactOptions } from "./assemble-artifact.ts";
import { batchGenerateContentTool } from "./batch-generate-content.ts";
import { cleanupEphemeralTool } from "./cleanup-ephemeral.ts";
import type { ComposeTool } from "./compose-tool.ts";
import { deleteContentTool } from "./delete-content.ts";
import { draftConfigTool } from "./draft-config.ts";
import { generateContentTool } from "./generate-content.ts";
import { listArtifactsTool } from "./list-artifacts.ts";
import { listContentTool } from "./list-content.ts";
import { listGeneratorsTool } from "./list-generators.ts";
import { modifyConfigTool } from "./modify-config.ts";
import { previewGenerationTool } from "./preview-generation.ts";
import { queryEphemeralStorageTool } from "./query-ephemeral-storage.ts";
import { regenerateContentTool } from "./regenerate-content.ts";
import { saveConfigTool } from "./save-config.ts";
import { testConfigTool } from "./test-config.ts";
import { traceDependenciesTool } from "./trace-dependencies.ts";
import { validateContentTool } from "./validate-content.ts";

export const composeTools = (bench: Workbench, assembling: AssembleArtifactOptions): readonly ComposeTool[] => [
  generateContentTool(bench),
  regenerateContentTool(bench),
  previewGenerationTool(bench),
  assembleArtifactTool(bench, assembling),
  draftConfigTool(bench),
  testConfigTool(bench),
  saveConfigTool(bench),
  modifyConfigTool(bench),
  queryEphemeralStorageTool(bench),
  cleanupEphemeralTool(bench),
  deleteContentTool(bench),
  listGeneratorsTool(bench),
  listContentTool(bench),
  listArtifactsTool(bench, {
    lastAssembled: async (id) => (await assembling.assemblies.last(id))?.at ?? null,
  }),
  traceDependenciesTool(bench),
  validateContentTool(bench),
  batchGenerateContentTool(bench),
];
