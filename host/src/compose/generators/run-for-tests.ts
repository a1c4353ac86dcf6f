/** For tests: what a generator makes of a config, as the host would call it. */
import type { ContentConfig } from "../configs/config-types.ts";
import { overlayContext, type Context } from "../configs/read-context.ts";
import { choosePattern } from "./choose-pattern.ts";
import type { Generate } from "./generation.ts";

export interface Asked {
  readonly type: string;
  readonly context?: Context;
  readonly maxBytes?: number;
}

export const runForTests = (generate: Generate, config: ContentConfig, asked: Asked): string => {
  const pattern = choosePattern(config, asked.type);
  const own = (pattern?.generation_config?.["context"] ?? {}) as Context;
  const context = overlayContext(own, asked.context ?? {});
  return generate({ config, pattern, context, maxBytes: asked.maxBytes ?? 10_000_000 });
};
