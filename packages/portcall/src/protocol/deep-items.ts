import { endOfString } from '../jsonrpc/message.ts'

/** The members of results that are lists of what a server offers, as JSON text. */
const LISTS: ReadonlySet<string> = new Set(['"tools"', '"resources"', '"resourceTemplates"', '"prompts"'])

/** The depth of an item in a response: in a list, in the result, in the message. */
const ITEM_DEPTH = 4

/**
 * Replaces the items of lists that nest deeper than `maxDepth` by their names, as strings, so that one tool with a huge schema does not cost the
 * whole list. Takes linear time and does not parse the text. Returns `undefined` if anything else nests that deep.
 */
export function shortenDeepItems(text: string, maxDepth: number): string | undefined {
  const scan: Scan = { depth: 0, strings: [], list: undefined, start: 0, isDeep: false }
  const pieces: string[] = []
  let copied = 0
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string
    if (char === '"') {
      const end = endOfString(text, at)
      if (scan.depth < ITEM_DEPTH - 1) scan.strings[scan.depth] = text.slice(at, end + 1)
      at = end
    } else if (char === '{' || char === '[') {
      if (!open(scan, char, { at, maxDepth })) return undefined
    } else if ((char === '}' || char === ']') && scan.depth-- === ITEM_DEPTH && scan.isDeep) {
      pieces.push(text.slice(copied, scan.start), nameOf(text.slice(scan.start, at + 1)))
      copied = at + 1
    }
  }
  return pieces.join('') + text.slice(copied)
}

interface Scan {
  depth: number
  /** The last string at each depth: in an object, the key of the value that follows. */
  strings: string[]
  /** The bracket of the container that items are in. */
  list: string | undefined
  /** Where the last item started, and whether it nests too deeply. */
  start: number
  isDeep: boolean
}

/** Enters an array or object. Returns false if it is too deep and not in an item of a list. */
function open(scan: Scan, bracket: string, { at, maxDepth }: { at: number; maxDepth: number }): boolean {
  scan.depth++
  if (scan.depth === ITEM_DEPTH - 1) scan.list = bracket
  if (scan.depth === ITEM_DEPTH) {
    scan.start = at
    scan.isDeep = false
  }
  if (scan.depth <= maxDepth) return true
  scan.isDeep = true
  return scan.list === '[' && scan.strings[1] === '"result"' && LISTS.has(scan.strings[2] ?? '')
}

/** Returns the name or URI of an item, as JSON text. */
function nameOf(item: string): string {
  try {
    const { name, uri, uriTemplate } = JSON.parse(withoutContainers(item)) as { [member: string]: unknown }
    return JSON.stringify([name, uri, uriTemplate].find((value) => typeof value === 'string') ?? '')
  } catch {
    return '""'
  }
}

/** Replaces the arrays and objects in an object by `null`. */
function withoutContainers(item: string): string {
  let result = '{'
  let depth = 1
  for (let at = 1; at < item.length; at++) {
    const char = item[at] as string
    const end = char === '"' ? endOfString(item, at) : at
    if (char === '}' || char === ']') depth--
    if (depth === 1 && (char === '}' || char === ']')) result += 'null'
    else if (char === '{' || char === '[') depth++
    else if (depth <= 1) result += item.slice(at, end + 1)
    at = end
  }
  return result
}
