/** The packages of some directories as they are on disk, for those who only want to know what is wrong with them. */
import type { PackageDiagnostic } from "../../kernel/skill-admin.ts";
import { PackageLibrary, type SkillDir } from "./package-library.ts";
import type { SkillPackage } from "./skill-package.ts";

export interface PackagesOnDisk {
  readonly packages: readonly SkillPackage[];
  /** Of skills that were perhaps meant for packages. */
  readonly notes: readonly PackageDiagnostic[];
}

export const readPackages = async (dirs: readonly SkillDir[]): Promise<PackagesOnDisk> => {
  const { packages, notes } = await new PackageLibrary().load(dirs);
  return { packages: [...packages.values()], notes: [...notes.values()].flat() };
};
