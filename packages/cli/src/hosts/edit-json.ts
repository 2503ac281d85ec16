import { findNodeAtLocation, getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { wordsOf } from '../../../util/src/words-of.ts'
import type { ConfigEditor } from './editor.ts'
import { putMember, removeMember } from './json-members.ts'

/** Edits JSON with comments and trailing commas. */
export const jsonEditor: ConfigEditor = {
  async read(text, { key, name }) {
    const { root } = parse(text)
    assertSingle(root, [key, name])
    const entry = root && findNodeAtLocation(root, [key, name])
    return entry && getNodeValue(entry)
  },
  async put(text, { key, name }, entry) {
    const { byteOrderMark, body, root } = parse(text)
    if (!root) return `${byteOrderMark}${JSON.stringify({ [key]: { [name]: entry } }, null, 2)}\n`
    const servers = findNodeAtLocation(root, [key])
    const isObject = servers?.type === 'object'
    return byteOrderMark + (isObject ? putMember(body, servers, [name, entry]) : putMember(body, root, [key, { [name]: entry }]))
  },
  async remove(text, { key, name }) {
    const { byteOrderMark, body, root } = parse(text)
    const servers = root && findNodeAtLocation(root, [key])
    return servers?.type === 'object' ? byteOrderMark + removeMember(body, servers, name) : text
  },
}

/** Parsers take the last of several members with the same name, and an edit could change another one. @throws Error */
function assertSingle(root: Node | undefined, path: readonly string[]): void {
  let node = root
  for (const key of path) {
    const members = node?.type === 'object' ? (node.children ?? []).filter(({ children }) => children?.[0]?.value === key) : []
    if (members.length > 1) throw new Error(`it has the member ${JSON.stringify(key)} more than once`)
    node = members[0]?.children?.[1]
  }
}

interface ParsedText {
  readonly byteOrderMark: string
  readonly body: string
  /** The root object; `undefined` for an empty text. */
  readonly root: Node | undefined
}

/** @throws Error with the position of a syntax error, without any text of the file. */
function parse(text: string): ParsedText {
  const byteOrderMark = text.startsWith('\ufeff') ? '\ufeff' : ''
  const body = text.slice(byteOrderMark.length)
  if (body.trim() === '') return { byteOrderMark, body, root: undefined }
  const errors: ParseError[] = []
  const root = parseTree(body, errors, { allowTrailingComma: true })
  const [error] = errors
  if (error)
    throw new Error(`${wordsOf(printParseErrorCode(error.error))} at line ${body.slice(0, error.offset).split('\n').length}`)
  if (root?.type !== 'object') throw new Error('it is not a JSON object')
  return { byteOrderMark, body, root }
}
