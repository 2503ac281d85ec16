/** Additional members of a tool's definition. An extension adds the members that it reads by declaration merging. */
// biome-ignore lint/suspicious/noEmptyInterface: extensions merge members into it
export interface ToolDefinitionExtensions {}
