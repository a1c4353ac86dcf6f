/** One thing the doctor looked at. */
export interface Check {
  /** What it is about: `config`, `evidence`, `bundle files`. */
  readonly name: string;
  readonly state: "ok" | "warn" | "fail";
  readonly message: string;
  /** The exact next step; null when there is nothing to do. */
  readonly fix: string | null;
}

export const ok = (name: string, message: string): Check => ({ name, state: "ok", message, fix: null });
export const warn = (name: string, message: string, fix: string): Check => ({ name, state: "warn", message, fix });
export const fail = (name: string, message: string, fix: string): Check => ({ name, state: "fail", message, fix });
