/** Composing servers: search in large tool sets, and other ways to build a server from servers. @module */

export type { SearchToolNames } from '../compose/search/search-tools.ts'
export { type ToolSearchOptions, toolSearch } from '../compose/search/tool-search.ts'
export { type MountOptions, mount, type PrefixedTools, unmount } from '../gateway/mount.ts'
export type { Middleware } from '../jsonrpc/exchange.ts'
export { propertyKey, resolveRef, type SchemaTypeOptions, typeOfSchema } from '../schema/typescript.ts'
