/** `bailiwick bundle inspect <name>`: all that is known of one bundle. */
import type { BundleDetail } from "../kernel/bundle-admin.ts";
import { bundleFacts } from "./bundle-facts.ts";
import type { CommandContext, RunCommand } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { reach } from "./reach.ts";
import { renderTable } from "./table.ts";

export const runBundleInspect: RunCommand = (context) => {
  const [name = ""] = context.args;
  return reach(context, { provider: name }, async (host) => {
    const detail = await host.bundles.inspect(name);
    if (context.json) context.terminal.raw(`${JSON.stringify({ bundle: detail }, null, 2)}\n`);
    else show(context, detail);
    return EXIT.done;
  });
};

const show = ({ terminal }: CommandContext, detail: BundleDetail): void => {
  const { name, status, health, dataPath, userConfig, held, reason, next, warnings } = detail;
  terminal.out(terminal.paint.bold(name));
  const rows = [
    ["state", status === "running" ? `${status}, ${health}` : `${status}${reason === undefined ? "" : `: ${reason}`}`],
    ...bundleFacts(detail),
    ["data", dataPath ?? "–"],
    ["protected", detail.protected ? "yes: only editing the configuration removes it" : "no"],
  ];
  const lines = renderTable(
    rows.map(([label = "", text = ""]) => [`  ${label}`, text]),
    { width: terminal.width },
  );
  for (const line of lines) terminal.out(line);
  if (userConfig.length > 0) terminal.out("  settings");
  for (const field of userConfig) terminal.out(`    ${describeField(field)}`);
  for (const { tool } of held) terminal.out(`  held: ${tool ?? "its instructions"}`);
  if (held.length > 0) terminal.note(`→ See what changed, and accept it: bailiwick bundle accept ${name}`);
  for (const warning of warnings) terminal.note(terminal.notePaint.yellow(`Warning: ${warning}`));
  if (next !== undefined) terminal.note(`→ ${next}`);
};

export const describeField = ({ key, title, required, sensitive, isSet }: BundleDetail["userConfig"][number]): string =>
  `${key}: ${title} (${[required ? "required" : "optional", ...(sensitive ? ["secret"] : []), isSet ? "set" : "not set"].join(", ")})`;
