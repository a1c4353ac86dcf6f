/** Memory is the whole host's: so many files at once are held whole to be answered, or to have a part cut out of them. */
import { createTurns, type Turns } from "./create-turns.ts";

export const readInTurn: Turns = createTurns(4);
