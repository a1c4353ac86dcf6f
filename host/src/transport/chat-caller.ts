/** Whoever talks to the agent over REST: who the door found, never what a body says. */
import type { Chatter } from "../kernel/agent.ts";
import type { Caller } from "./authenticate.ts";

export const chatCaller = ({ principal, presented }: Caller): Chatter => ({ principal, presented, door: "rest" });
