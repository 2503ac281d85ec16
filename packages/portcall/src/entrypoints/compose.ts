/** Composing servers: search in large tool sets, and other ways to build a server from servers. @module */

export { type CodeLimits, type CodeModeOptions, codeMode } from '../compose/code/code-mode.ts'
export {
  type DerivedArgument,
  type DerivedArguments,
  type DerivedDefinition,
  type DerivedInput,
  type DerivedType,
  type DerivedValue,
  deriveTool,
} from '../compose/derive-tool.ts'
export type { ListedKind } from '../compose/kinds.ts'
export type { UsedName } from '../compose/names-in-use.ts'
export type { SearchToolNames } from '../compose/search/search-tools.ts'
export { type ToolSearchOptions, toolSearch } from '../compose/search/tool-search.ts'
export { transform } from '../compose/transforms/apply-transforms.ts'
export { type ArgumentSetting, type ArgumentSettings, type ArgumentValue, setArguments } from '../compose/transforms/arguments.ts'
export { filterItems, hide, type ItemPatterns, type VisibilityTransform, visibility } from '../compose/transforms/hide.ts'
export { describeItems, type NewDescription, type NewNames, rename } from '../compose/transforms/rename.ts'
export { TAGS_META, type TagSelection, tag, tagsOf, withTags } from '../compose/transforms/tags.ts'
export type { Transform, TransformCaller, TransformItem } from '../compose/transforms/transform.ts'
export { type VersionsOptions, versions } from '../compose/transforms/versions.ts'
export { type MountedServer, type MountOptions, mount, type Prefixed, unmount } from '../gateway/mount.ts'
export type { Middleware } from '../jsonrpc/exchange.ts'
export { propertyKey, type SchemaTypeOptions, typeOfSchema } from '../schema/typescript.ts'
