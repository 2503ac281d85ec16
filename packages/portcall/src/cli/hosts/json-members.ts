/** Members of an object in a text: put in, replaced and taken out without touching anything else. */
import { createScanner, type Node } from 'jsonc-parser'

/** A name and its value. */
export type Member = readonly [name: string, value: unknown]

/** A piece of the text, and what comes in its place. */
interface Edit {
  readonly from: number
  readonly to: number
  readonly text: string
}

/** Writes a member of an object: in the place of the one of that name, or as the last. */
export function putMember(text: string, object: Node, [name, value]: Member): string {
  const members = object.children ?? []
  const found = members.find((member) => nameOf(member) === name)?.children?.[1]
  const { eol, unit } = styleOf(text)
  const written = (indent: string): string => JSON.stringify(value, null, unit).replaceAll('\n', eol + indent)
  if (found) return apply(text, [{ from: found.offset, to: endOf(found), text: written(indentAt(text, found.offset)) }])
  const last = members.at(-1)
  const key = JSON.stringify(name)
  if (!last) {
    const outer = indentAt(text, object.offset)
    const inner = outer + unit
    const begin = object.offset + 1
    const end = endOf(object) - 1
    const isEmpty = text.slice(begin, end).trim() === ''
    const line = `${eol}${inner}${key}: ${written(inner)}`
    return apply(text, [isEmpty ? { from: begin, to: end, text: `${line}${eol}${outer}` } : insert(begin, line)])
  }
  const comma = commaAfter(text, endOf(last))
  const isAlone = isFirstOnLine(text, last.offset)
  if (!isAlone) {
    const inline = ` ${key}: ${JSON.stringify(value)}`
    return apply(text, [insert(comma === undefined ? endOf(last) : comma + 1, comma === undefined ? `,${inline}` : `${inline},`)])
  }
  const indent = indentAt(text, last.offset)
  const line = `${eol}${indent}${key}: ${written(indent)}`
  const after = (at: number): number => at + restOfLine(text, at)
  return comma === undefined
    ? apply(text, [insert(endOf(last), ','), insert(after(endOf(last)), line)])
    : apply(text, [insert(after(comma + 1), `${line},`)])
}

/** Takes a member out, and the line that it leaves empty. */
export function removeMember(text: string, object: Node, name: string): string {
  const members = object.children ?? []
  const at = members.findIndex((member) => nameOf(member) === name)
  const member = members[at]
  if (!member) return text
  const comma = commaAfter(text, endOf(member))
  const before = at > 0 && comma === undefined ? commaAfter(text, endOf(members[at - 1] as Node)) : undefined
  const edits = [
    ...(before === undefined ? [] : [{ from: before, to: before + 1, text: '' }]),
    lineOf(text, { from: member.offset, to: comma === undefined ? endOf(member) : comma + 1, text: '' }),
  ]
  const next = apply(text, edits)
  const removed = text.length - next.length
  const inside = next.slice(object.offset + 1, endOf(object) - 1 - removed)
  return inside.trim() === '' ? `${next.slice(0, object.offset + 1)}${next.slice(endOf(object) - 1 - removed)}` : next
}

const nameOf = (member: Node): unknown => member.children?.[0]?.value
const endOf = ({ offset, length }: Node): number => offset + length
const insert = (at: number, text: string): Edit => ({ from: at, to: at, text })

/** Makes changes, from the last to the first so that places stay right. */
function apply(text: string, edits: readonly Edit[]): string {
  return [...edits].reverse().reduce((all, edit) => all.slice(0, edit.from) + edit.text + all.slice(edit.to), text)
}

/** Where the comma behind a member is, if there is one; comments may stand between. */
function commaAfter(text: string, at: number): number | undefined {
  const scanner = createScanner(text, true)
  scanner.setPosition(at)
  scanner.scan()
  const next = scanner.getTokenOffset()
  return text[next] === ',' ? next : undefined
}

/** How much of the line is left, when it is only a comment or nothing. */
function restOfLine(text: string, at: number): number {
  return /^[ \t]*(\/\/[^\r\n]*|\/\*(?:(?!\*\/)[^\r\n])*\*\/[ \t]*)?(?=\r?\n)/.exec(text.slice(at))?.[0].length ?? 0
}

/** A removal, extended to the whole line where nothing else stands on it. */
function lineOf(text: string, edit: Edit): Edit {
  const before = /\r?\n[ \t]*$/.exec(text.slice(0, edit.from))
  const isLast = /^[ \t]*(\r?\n|\})/.test(text.slice(edit.to))
  if (before && isLast) return { ...edit, from: before.index }
  return { ...edit, from: edit.from - (/[ \t]*$/.exec(text.slice(0, edit.from))?.[0].length ?? 0) }
}

function isFirstOnLine(text: string, at: number): boolean {
  return /\n[ \t]*$/.test(text.slice(0, at))
}

function indentAt(text: string, at: number): string {
  return /(?:^|\n)([ \t]*)[^\n]*$/.exec(text.slice(0, at))?.[1] ?? ''
}

/** As the file is written already. */
function styleOf(text: string): { eol: string; unit: string } {
  return { eol: text.includes('\r\n') ? '\r\n' : '\n', unit: /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ' }
}
