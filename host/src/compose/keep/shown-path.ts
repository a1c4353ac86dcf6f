/** Where a file of the host's own folders lies, from the data of its workspace: where those are is nobody's business. */
import { sep } from "node:path";

/** `compose/drafts/<name>` */
const SHOWN_NAMES = 3;

export const shownPath = (path: string): string => path.split(sep).slice(-SHOWN_NAMES).join("/");
