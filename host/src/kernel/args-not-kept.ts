/**
 * Stands for the arguments of a call that has begun and whose arguments were too long to be kept. What depends on arguments
 * was asked when it began, and is not asked of these: nobody could answer.
 */
export const ARGS_NOT_KEPT: Readonly<Record<string, never>> = Object.freeze({});
