/** Whether a file is there and may be run. */
import { accessSync, constants, statSync } from "node:fs";

export const isProgram = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
};
