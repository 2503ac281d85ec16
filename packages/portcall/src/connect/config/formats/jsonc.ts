/** JSON with comments and trailing commas. Loaded on demand, with its parser. */
import { findNodeAtLocation, getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { wordsOf } from '../../../../../util/src/words-of.ts'
import { type ConfigDocument, formatPosition, positionAt } from '../document-types.ts'
import { ConfigError } from '../errors.ts'

/** Parses text. @throws ConfigError with the position of the first error. */
export function parseJsonc(text: string): ConfigDocument {
  const errors: ParseError[] = []
  const tree = parseTree(text, errors, { allowTrailingComma: true })
  const [first] = errors
  if (first || !tree) {
    const position = positionAt(text, first?.offset ?? 0)
    const problem = first ? wordsOf(printParseErrorCode(first.error)) : 'value expected'
    throw new ConfigError(`The configuration is not valid JSON: ${problem} at ${formatPosition(position)}`, { position })
  }
  rejectDuplicates(tree, text)
  return {
    root: getNodeValue(tree),
    positionOf(path) {
      for (let length = path.length; length >= 0; length--) {
        const node = findNodeAtLocation(tree, path.slice(0, length))
        if (node) return positionAt(text, (node.parent?.type === 'property' ? node.parent : node).offset)
      }
      return undefined
    },
  }
}

/** A member that is written twice would silently replace the first one. */
function rejectDuplicates(node: Node, text: string): void {
  const names = new Set<unknown>()
  for (const child of node.children ?? []) {
    if (node.type === 'object') {
      const name: unknown = child.children?.[0]?.value
      const position = positionAt(text, child.offset)
      if (names.has(name))
        throw new ConfigError(`The configuration has the member ${String(name)} twice: again at ${formatPosition(position)}`, {
          position,
        })
      names.add(name)
    }
    rejectDuplicates(child, text)
  }
}
