/**
 * What a server tells by itself because it was asked to: changes of its lists and of single resources. One per
 * connection. How it is asked depends on the era; it is asked anew whenever the conversation is opened anew.
 */
import type { ConnectionEvents } from "../connection.ts";
import type { Correlator } from "./correlator.ts";
import type { Opening } from "./handshake.ts";
import { Listening } from "./listening.ts";
import { isObject, type JsonObject } from "./read-message.ts";
import { Subscribing } from "./subscribing.ts";

interface Source {
  /** The set is the caller's own and lives on; this says that it is not what it was. */
  want(uris: ReadonlySet<string>): void;
}

export class Subscriptions {
  readonly #correlator: Correlator;
  readonly #events: ConnectionEvents;
  #source: Source | null = null;
  #wanted: ReadonlySet<string> = new Set();
  #possible = false;

  constructor(correlator: Correlator, events: ConnectionEvents) {
    this.#correlator = correlator;
    this.#events = events;
  }

  /** False: the server does not tell of single resources. */
  possible(): boolean {
    return this.#possible;
  }

  begin(opening: Opening): void {
    const correlator = this.#correlator;
    const events = this.#events;
    this.#possible = tellsOfResources(opening);
    if (opening.era === "modern") this.#source = new Listening({ correlator, events, opening });
    else this.#source = this.#possible ? new Subscribing(correlator) : null;
    this.#source?.want(this.#wanted);
  }

  want(uris: ReadonlySet<string>): void {
    this.#wanted = uris;
    this.#source?.want(uris);
  }

  notice(method: string, params: JsonObject | null): void {
    if (params === null) return;
    if (method === "notifications/resources/updated") {
      const { uri } = params;
      if (typeof uri === "string") this.#events.resourceUpdated(uri);
    } else if (this.#source instanceof Listening) this.#source.notice(method, params);
  }
}

/** A server that did not say what it offers is believed to offer all. */
const tellsOfResources = ({ capabilities }: Opening): boolean => {
  if (capabilities === null) return true;
  const { resources } = capabilities;
  return isObject(resources) && resources["subscribe"] === true;
};
