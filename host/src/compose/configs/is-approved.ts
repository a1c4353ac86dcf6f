/** Whether what is generated from a config now counts as approved. */
import type { ContentConfig } from "./config-types.ts";

export const isApproved = ({ evolution, elements }: ContentConfig): boolean =>
  evolution?.stage === "approved" || elements.every(({ review_status: status }) => status === "approved");
