/** A call as `details.next` writes it: the tool and its arguments. */
export const nextCall = (tool: string, args: Readonly<Record<string, unknown>> = {}): string =>
  `${tool} ${JSON.stringify(args)}`;
