/** `bailiwick bundle add`: installs, starts and writes it into the configuration, and shows what was accepted by that. */
import type { BundleDetail } from "../kernel/bundle-admin.ts";
import { bundleFacts } from "./bundle-facts.ts";
import type { CommandContext, RunCommand } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { reach } from "./reach.ts";
import { readBundleOrder } from "./read-bundle-order.ts";
import { showProgress } from "./show-progress.ts";
import { renderTable } from "./table.ts";

export const runBundleAdd: RunCommand = async (context) => {
  const entry = await readBundleOrder(context);
  return reach(context, "open", async (host) => {
    const { name } = await host.bundles.install(entry, showProgress(context.terminal));
    const detail = await host.bundles.inspect(name);
    if (context.json) context.terminal.raw(`${JSON.stringify({ bundle: detail }, null, 2)}\n`);
    else show(context, detail, host.origin !== null);
    return EXIT.done;
  });
};

const show = ({ terminal }: CommandContext, detail: BundleDetail, isServed: boolean): void => {
  const { name, warnings } = detail;
  terminal.out(`Installed ${terminal.paint.bold(name)}. With that you accepted:`);
  const rows = bundleFacts(detail).map(([label, text]) => [`  ${label}`, text]);
  for (const line of renderTable(rows, { width: terminal.width })) terminal.out(line);
  for (const warning of warnings) terminal.note(terminal.notePaint.yellow(`Warning: ${warning}`));
  if (detail.next !== undefined) terminal.note(`→ ${detail.next}`);
  terminal.note(isServed ? `Its tools: bailiwick tools ${name}` : "It runs with the host: bailiwick serve");
};
