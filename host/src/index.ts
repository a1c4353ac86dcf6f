/** What a program imports: `import { createHost } from "bailiwick"`. */
export type {
  ChatControl,
  ChatOptions,
  ChatSession,
  ConversationControl,
  ConversationPage,
  PromptOrder,
} from "./assembly/chat-control.ts";
export type { EvidenceControl, EvidenceObject } from "./assembly/evidence-control.ts";
export { ConfigError } from "./assembly/config-error.ts";
export type {
  ApprovalControl,
  BundleControl,
  BundleOrder,
  BundleState,
  CallOptions,
  CapabilityControl,
  ExplainOptions,
  Host,
  HostKeyControl,
  Keys,
  Listening,
  ListenOptions,
  ProviderRow,
  RootControl,
  SkillControl,
  StdioOptions,
} from "./assembly/host.ts";
export { createHost, type ConfigObject } from "./assembly/open-host.ts";
export type { ChatResult, ChatUsage, PromptShown, RunEvent, SkillMatching, StopReason } from "./kernel/agent.ts";
export type { EventPage, EventQuery, ExportFormat, ExportQuery } from "./kernel/archive.ts";
export type { ApprovalRecord, NewStandingApproval, StandingApproval } from "./kernel/approvals.ts";
export type { BundleDetail, BundleSeen } from "./kernel/bundle-admin.ts";
export type { Answer, Ending } from "./kernel/call.ts";
export type { ConversationQuery, ConversationSummary, StoredCall, StoredMessage } from "./kernel/conversation.ts";
export type { CapabilitiesChange, DeclaredCapabilities } from "./kernel/environment.ts";
export type { Explanation } from "./kernel/explanation.ts";
export type { HostKeyRow } from "./kernel/host-keys.ts";
export type { KeyRow, NewKey } from "./kernel/key.ts";
export type { PolicyReport } from "./kernel/policy-report.ts";
export { Refusal } from "./kernel/refusal.ts";
export type { RootsSeen } from "./kernel/roots-seen.ts";
export type { PackageDetail, PackageDiagnostic, SkillFilter, SkillSeen } from "./kernel/skill-admin.ts";
export type { ToolRow } from "./kernel/surface.ts";
