/** Does what one cell of the matrix says and tells what came back, in the words of the order. */
import { expect } from "vitest";
import type { MatrixClient, MatrixRow } from "./matrix-clients-for-tests.ts";
import { OPERATIONS, SERVERS, type MatrixServer, type Operation, type Orders } from "./matrix-servers-for-tests.ts";

/** From where a cell is run. */
interface At {
  readonly client: MatrixClient;
  /** What the client has been asked so far. */
  readonly asked: readonly string[];
}

interface Run extends At {
  readonly server: MatrixServer;
}

const named = ({ server, joined }: MatrixServer, own: string): string => (joined ? `${server}__${own}` : own);

const textsOf = (answer: unknown): string => {
  const texts: string[] = [];
  JSON.stringify(answer, (key, value: unknown) => {
    if (key === "text" && typeof value === "string") texts.push(value);
    return value;
  });
  return texts.join("\n");
};

const asking = async ({ client, server, asked }: Run, { tool, args }: Orders["elicitation"]): Promise<unknown> => {
  const before = asked.length;
  const text = textsOf(await client.call(named(server, tool), args));
  return { asked: asked.slice(before).join("\n"), text };
};

interface Demand {
  readonly code?: unknown;
  readonly data?: { readonly elicitations?: readonly { readonly message: string; readonly url: string }[] };
}

/** A legacy client is told by an error which pages come first, and makes the call again by itself. */
const openingFirst = async ({ client, server, asked }: Run, { tool, args }: Orders["page first"]): Promise<unknown> => {
  const before = asked.length;
  const call = (): Promise<unknown> => client.call(named(server, tool), args);
  const demanded: string[] = [];
  const answer = await call().catch((error: Demand) => {
    if (error.code !== -32042) throw error;
    demanded.push(...(error.data?.elicitations ?? []).map(({ message, url }) => `${message} ${url}`));
    return call();
  });
  return { asked: [...demanded, ...asked.slice(before)], text: textsOf(answer) };
};

const performers: { readonly [Each in Operation]: (run: Run, order: Orders[Each]) => Promise<unknown> } = {
  list: async ({ client }) => ({ tools: await client.listTools() }),
  call: async ({ client, server }, { tool, args }) => ({ text: textsOf(await client.call(named(server, tool), args)) }),
  read: async ({ client }, { uri }) => ({ text: textsOf(await client.read(uri)) }),
  prompt: async ({ client, server }, { name, args }) => ({
    text: textsOf(await client.prompt(named(server, name), args)),
  }),
  complete: async ({ client, server }, { ref, argument }) => {
    const to =
      "prompt" in ref
        ? { type: "ref/prompt" as const, name: named(server, ref.prompt) }
        : { type: "ref/resource" as const, uri: ref.template };
    return { values: await client.complete?.(to, argument) };
  },
  progress: async ({ client, server }, { tool, args }) => {
    const steps: number[] = [];
    await client.call(named(server, tool), args, { onprogress: ({ progress }) => steps.push(progress) });
    return { steps };
  },
  /** A client that hears no progress cancels when the call has had time to begin. */
  cancel: async ({ client, server }, { tool, args }) => {
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), 60);
    const call = client.call(named(server, tool), args, { signal: stop.signal, onprogress: () => stop.abort() });
    const ended = await call.then(textsOf, (error: unknown) => String(error)).finally(() => clearTimeout(timer));
    return { ended, afterwards: (await client.listTools()).length > 0 };
  },
  elicitation: asking,
  sampling: asking,
  page: asking,
  "page first": openingFirst,
};

const containing = (text: string): unknown => expect.stringContaining(text) as unknown;

const expectations: { readonly [Each in Operation]: (order: Orders[Each], server: MatrixServer) => unknown } = {
  list: ({ tools }, server) => ({
    tools: expect.arrayContaining(tools.map((own) => named(server, own))) as unknown,
  }),
  call: ({ text }) => ({ text: containing(text) }),
  read: ({ text }) => ({ text: containing(text) }),
  prompt: ({ text }) => ({ text: containing(text) }),
  complete: ({ values }) => ({ values }),
  progress: ({ steps }) => ({ steps }),
  cancel: () => ({ ended: expect.stringMatching(/abort/i) as unknown, afterwards: true }),
  elicitation: ({ asked, text }, { server, joined }) => ({
    asked: joined ? `${server}: ${asked}` : asked,
    text: containing(text),
  }),
  sampling: ({ asked, text }) => ({ asked: containing(asked), text: containing(text) }),
  page: ({ asked, text }, { server, joined }) => ({
    asked: joined ? `${server}: ${asked}` : asked,
    text: containing(text),
  }),
  /** The error that demands a page is the server's own and says nothing of who asks. */
  "page first": ({ asked, text }) => ({ asked: asked.map(containing), text: containing(text) }),
};

/** One cell that is to be run. */
export interface Cell<Each extends Operation = Operation> {
  readonly operation: Each;
  readonly server: MatrixServer;
  readonly order: Orders[Each];
}

export const perform = <Each extends Operation>({ operation, server, order }: Cell<Each>, at: At): Promise<unknown> =>
  performers[operation]({ ...at, server }, order);

/** What must come back, for `toEqual`. */
export const expected = <Each extends Operation>({ operation, server, order }: Cell<Each>): unknown =>
  expectations[operation](order, server);

/** The cells of a row that are run. */
export const cellsOf = ({ cannot }: Pick<MatrixRow, "cannot">): Cell[] =>
  SERVERS.flatMap((server) =>
    OPERATIONS.flatMap((operation) => {
      const order = server.cells[operation];
      return typeof order === "string" || cannot[operation] !== undefined ? [] : [{ operation, server, order }];
    }),
  );
