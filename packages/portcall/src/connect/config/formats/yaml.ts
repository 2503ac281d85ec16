/** YAML. Loaded on demand, with its parser. */
import { isMap, isScalar, LineCounter, parseDocument } from 'yaml'
import { type ConfigDocument, type ConfigPath, formatPosition } from '../document-types.ts'
import { ConfigError, type TextPosition } from '../errors.ts'

const MAX_ALIASES = 100

/** Parses text. @throws ConfigError with the position of the first error. */
export function parseYamlConfig(text: string): ConfigDocument {
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { lineCounter, prettyErrors: false })
  const positionAt = (offset: number): TextPosition => {
    const { line, col } = lineCounter.linePos(offset)
    return { line, column: col }
  }
  const [first] = document.errors
  if (first) {
    const position = positionAt(first.pos[0])
    throw new ConfigError(`The configuration is not valid YAML: ${toProblem(first.message)} at ${formatPosition(position)}`, {
      position,
    })
  }
  const offsetOf = (path: ConfigPath): number | undefined => {
    const parent = document.getIn(path.slice(0, -1), true)
    const name = path.at(-1)
    const pair = isMap(parent) ? parent.items.find(({ key }) => isScalar(key) && String(key.value) === name) : undefined
    const node = pair ? pair.key : document.getIn(path, true)
    return typeof node === 'object' && node !== null && 'range' in node ? (node.range as number[] | undefined)?.[0] : undefined
  }
  return {
    root: document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown,
    positionOf(path) {
      for (let length = path.length; length > 0; length--) {
        const offset = offsetOf(path.slice(0, length))
        if (offset !== undefined) return positionAt(offset)
      }
      return { line: 1, column: 1 }
    },
  }
}

/** Returns the first sentence of an error, without the text that it quotes. */
function toProblem(message: string): string {
  const [line = ''] = message.split('\n', 1)
  const problem = line.replace(/: .*$/s, '')
  return problem.charAt(0).toLowerCase() + problem.slice(1)
}
