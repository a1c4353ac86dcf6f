/**
 * An expected "no" of the compose tools. It becomes `{success:false, error:{code, message, details}}`, which is a result of a
 * call that was made; what the host refuses before that is a Refusal. Texts reach people and models.
 */
export const COMPOSE_CODES = [
  "invalid_input",
  "invalid_context",
  "invalid_config_id",
  "internal_error",
  "config_not_found",
  "generator_not_found",
  "missing_credential",
  "generation_failed",
  "generation_timeout",
  "content_too_large",
  "queue_full",
  "content_missing",
  "content_not_approved",
  "too_many_components",
  "assembly_failed",
  "invalid_output_path",
  "write_failed",
  "validation_error",
  "draft_not_found",
  "test_failed",
  "test_execution_failed",
  "save_failed",
  "modification_failed",
  "content_not_found",
  "invalid_retention",
  "content_referenced",
  "validation_failed",
  "batch_too_large",
] as const;

export type ComposeCode = (typeof COMPOSE_CODES)[number];

export class ComposeError extends Error {
  override readonly name = "ComposeError";
  readonly code: ComposeCode;
  /** `next` is the exact next call, where one exists. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ComposeCode, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}
