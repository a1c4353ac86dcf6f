/** Prints what is wrong with skill packages: what keeps a tool from being served first, then what could be better. */
import { describeDiagnostic } from "../assembly/doctor/describe-diagnostic.ts";
import type { PackageDiagnostic } from "../kernel/skill-admin.ts";
import type { Paint } from "./terminal.ts";
import { visibleText } from "./visible-text.ts";

export interface DiagnosticLines {
  readonly paint: Paint;
  readonly write: (line: string) => void;
}

export const showDiagnostics = (diagnostics: readonly PackageDiagnostic[], { paint, write }: DiagnosticLines): void => {
  const rank = ({ warning }: PackageDiagnostic): number => (warning ? 1 : 0);
  for (const diagnostic of diagnostics.toSorted((a, b) => rank(a) - rank(b))) {
    const { line, fix } = describeDiagnostic(diagnostic);
    write((diagnostic.warning ? paint.yellow : paint.red)(visibleText(line)));
    write(`  → ${visibleText(fix)}`);
  }
};
