/** Nothing of a script ran. Its message is a sentence for whoever called the tool: it names no folder of the host. */
export class ScriptNotStarted extends Error {
  override readonly name = "ScriptNotStarted";
}
