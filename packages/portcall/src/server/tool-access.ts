/**
 * The access of a caller to a tool. `'unknown'`: the tool is not registered, or disabled. `'hidden'`: it does not exist for the caller, because of
 * `visible` or of scopes.
 */
export type ToolAccess =
  | 'unknown'
  | 'hidden'
  | {
      /** All scopes of the tool if the caller lacks one of them, otherwise none. */
      readonly missingScopes: readonly string[]
    }
