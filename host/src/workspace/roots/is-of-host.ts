/**
 * Whether a path leads to the host's own state: its work directory, but for the folder that the workspace works in, and its
 * configuration. Whoever could write there could declare, accept and approve.
 */
import { isInside, type PathFlavour, type PathView } from "@bailiwick/contract";
import { realOf } from "./real-of.ts";

export interface HostPlaces {
  /** Keys and evidence lie there. */
  readonly workDir: string;
  /** The one folder in it that the workspace works in. */
  readonly project: string;
  readonly configFile: string;
  readonly flavour: PathFlavour;
}

export const isOfHost = (path: string, places: HostPlaces, view: PathView): boolean => {
  const { flavour } = places;
  const look = { view, flavour };
  const real = realOf(path, look);
  if (real === realOf(places.configFile, look)) return true;
  return (
    isInside(realOf(places.workDir, look), real, flavour) && !isInside(realOf(places.project, look), real, flavour)
  );
};
