/** What is wrong with a skill package, in a line that says where and a line that says what to do. Pure. */
import type { PackageDiagnostic } from "../../kernel/skill-admin.ts";

export interface DescribedDiagnostic {
  /** `file:line  tool  reason_code  message`; the file is named from the folder that holds the packages. */
  readonly line: string;
  readonly fix: string;
}

export const describeDiagnostic = (diagnostic: PackageDiagnostic): DescribedDiagnostic => {
  const { tool = "-", reason_code, message, suggested_fix, warning } = diagnostic;
  const code = warning ? `${reason_code} (warning)` : reason_code;
  return { line: [placeOf(diagnostic), tool, code, message].join("  "), fix: suggested_fix };
};

const placeOf = ({ package: name, pointer = "", line }: PackageDiagnostic): string => {
  const [file = ""] = pointer.split("#", 1);
  return `${name}${file === "" ? "" : `/${file}`}${line === undefined ? "" : `:${line}`}`;
};
