/** More keys of a tool's definition: an extension that reads some adds them by declaration merging. */
// biome-ignore lint/suspicious/noEmptyInterface: it is there to be merged into
export interface ToolExtras {}
