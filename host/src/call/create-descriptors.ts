/** Describes what a caller may see, from the same sheet that it lists and calls from; once per sheet. */
import type { Descriptor, DescriptorsOf } from "../kernel/descriptor.ts";
import { describeCapability } from "./policy/describe-capability.ts";
import type { SheetsOf } from "./surface/surface.ts";
import type { Sheet } from "./surface/sheet.ts";

export const createDescriptors = (sheets: SheetsOf): DescriptorsOf => {
  const known = new WeakMap<Sheet, readonly Descriptor[]>();

  const describe = (sheet: Sheet): readonly Descriptor[] =>
    sheet.pages.flatMap((page) =>
      sheet.shown(page).map((entry) =>
        describeCapability({
          ...entry,
          required: entry.requirements?.required ?? [],
          missing: entry.requirements?.missing ?? [],
          capability: sheet.capabilityOf(entry),
        }),
      ),
    );

  return (principal, provider) => {
    const sheet = sheets.of(principal, provider ?? null);
    if (!sheet) return [];
    const described = known.get(sheet) ?? describe(sheet);
    known.set(sheet, described);
    return described;
  };
};
