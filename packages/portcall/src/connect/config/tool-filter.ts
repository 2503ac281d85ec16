import { createNameMatcher } from '../../../../util/src/name-matcher.ts'

/** The tools of a server that its host offers. Names may contain `*`. */
export interface ToolFilter {
  /** Only these tools. Default: all. */
  readonly include?: readonly string[]
  /** None of these tools. */
  readonly exclude?: readonly string[]
}

/** Returns what reports whether a filter leaves a tool on. */
export function createToolFilter({ include, exclude = [] }: ToolFilter): (tool: string) => boolean {
  const [isIncluded, isExcluded] = [createNameMatcher(include ?? ['*']), createNameMatcher(exclude)]
  return (tool) => isIncluded(tool) && !isExcluded(tool)
}
