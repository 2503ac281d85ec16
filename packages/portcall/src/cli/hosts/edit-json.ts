import { findNodeAtLocation, getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import type { Editor } from './edit.ts'
import { putMember, removeMember } from './json-members.ts'

/** JSON with comments and trailing commas. */
export const jsonEditor: Editor = {
  async read(text, { key, name }) {
    const { root } = readRoot(text)
    const found = root && findNodeAtLocation(root, [key, name])
    return found && getNodeValue(found)
  },
  async put(text, { key, name }, entry) {
    const { mark, body, root } = readRoot(text)
    if (!root) return `${mark}${JSON.stringify({ [key]: { [name]: entry } }, null, 2)}\n`
    const servers = findNodeAtLocation(root, [key])
    const isThere = servers?.type === 'object'
    return mark + (isThere ? putMember(body, servers, [name, entry]) : putMember(body, root, [key, { [name]: entry }]))
  },
  async remove(text, { key, name }) {
    const { mark, body, root } = readRoot(text)
    const servers = root && findNodeAtLocation(root, [key])
    return servers?.type === 'object' ? mark + removeMember(body, servers, name) : text
  },
}

/** A text as it is read: its mark of bytes, the rest, and what stands there, if anything does. */
interface Read {
  readonly mark: string
  readonly body: string
  readonly root: Node | undefined
}

/** @throws Error that names the place, never what stands there. */
function readRoot(text: string): Read {
  const mark = text.startsWith('\ufeff') ? '\ufeff' : ''
  const body = text.slice(mark.length)
  if (body.trim() === '') return { mark, body, root: undefined }
  const errors: ParseError[] = []
  const root = parseTree(body, errors, { allowTrailingComma: true })
  const [error] = errors
  if (error) throw new Error(`${printParseErrorCode(error.error)} at line ${body.slice(0, error.offset).split('\n').length}`)
  if (root?.type !== 'object') throw new Error('it holds no object')
  return { mark, body, root }
}
