/** The host's pages begin here. There are none yet: the host is used from MCP clients, REST and the terminal. */
export {};
