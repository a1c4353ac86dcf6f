/**
 * What the author of a bundle imports. It is empty until the host offers extensions that a bundle can use; a plain MCP server
 * needs nothing from here.
 */
export {};
