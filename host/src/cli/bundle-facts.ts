/** What a person trusts who trusts a bundle: where it is from, what it may reach, what it offers. Pure. */
import type { BundleDetail } from "../kernel/bundle-admin.ts";

const MANY = 12;

export const bundleFacts = (detail: BundleDetail): [string, string][] => {
  const { bundleName, version, origin, digest, trustScore, certificationLevel, extensions, sandbox } = detail;
  const score = trustScore === null ? "none published" : `${trustScore} of 100`;
  return [
    ["package", [bundleName ?? "unnamed", version ?? ""].join(" ").trim()],
    ["from", origin ?? "–"],
    ["digest", digest ?? "–"],
    ["trust score", certificationLevel === null ? score : `${score}, certified ${certificationLevel}`],
    ["may use", extensions.length === 0 ? "no host extension" : extensions.join(", ")],
    ["sandbox", sandbox === null ? "no process here" : sandbox === "off" ? "off: it runs as you" : sandbox],
    ["tools", namesOf(detail)],
  ];
};

const namesOf = ({ tools }: BundleDetail): string => {
  if (tools.length === 0) return "none";
  const names = tools.slice(0, MANY).map(({ name, held }) => (held === undefined ? name : `${name} (held)`));
  return `${names.join(", ")}${tools.length > MANY ? ` and ${tools.length - MANY} more` : ""}`;
};
