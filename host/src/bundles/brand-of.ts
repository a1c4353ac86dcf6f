/**
 * The number by which everything that comes of one start is known, whatever it does to be alone: the hard limit that
 * `brand-command.ts` starts it with. Made of the marker, so who knows the one knows the other. Pure.
 */

/** No real limit is that large, and none is taken for a brand. */
const LEAST = 1n << 60n;

/** As `/proc/<pid>/limits` shows it. */
export const brandOf = (marker: string): string => (LEAST | BigInt.asUintN(60, BigInt(`0x${marker}`))).toString();
