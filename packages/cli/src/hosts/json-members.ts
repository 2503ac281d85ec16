/**
 * Adds, replaces and removes a member of an object in JSON text, without changing anything else. `modify` of jsonc-parser does not do that:
 * it reformats the other members on the edited lines, and it inserts before a comment that belongs to the previous member.
 */
import { createScanner, type Node } from 'jsonc-parser'

/** A name and its value. */
export type JsonMember = readonly [name: string, value: unknown]

/** Replaces the text from `from` to `to`. */
interface TextEdit {
  readonly from: number
  readonly to: number
  readonly text: string
}

/** Replaces the member of that name, or adds it as the last one. */
export function putMember(text: string, object: Node, [name, value]: JsonMember): string {
  const members = object.children ?? []
  const existing = members.find((member) => nameOf(member) === name)?.children?.[1]
  const { lineBreak, indentUnit } = styleOf(text)
  const stringify = (indent: string): string => JSON.stringify(value, null, indentUnit).replaceAll('\n', lineBreak + indent)
  if (existing)
    return applyEdits(text, [{ from: existing.offset, to: endOf(existing), text: stringify(indentAt(text, existing.offset)) }])
  const last = members.at(-1)
  const key = JSON.stringify(name)
  if (!last) {
    const outer = indentAt(text, object.offset)
    const inner = outer + indentUnit
    const start = object.offset + 1
    const end = endOf(object) - 1
    const isEmpty = text.slice(start, end).trim() === ''
    const line = `${lineBreak}${inner}${key}: ${stringify(inner)}`
    return applyEdits(text, [isEmpty ? { from: start, to: end, text: `${line}${lineBreak}${outer}` } : insertion(start, line)])
  }
  const comma = findComma(text, endOf(last))
  if (!startsLine(text, last.offset)) {
    const inline = ` ${key}: ${JSON.stringify(value)}`
    return applyEdits(text, [comma === undefined ? insertion(endOf(last), `,${inline}`) : insertion(comma + 1, `${inline},`)])
  }
  const indent = indentAt(text, last.offset)
  const line = `${lineBreak}${indent}${key}: ${stringify(indent)}`
  const afterComment = (at: number): number => at + trailingCommentLength(text, at)
  return comma === undefined
    ? applyEdits(text, [insertion(endOf(last), ','), insertion(afterComment(endOf(last)), line)])
    : applyEdits(text, [insertion(afterComment(comma + 1), `${line},`)])
}

/** Removes a member, and its line if nothing else is on it. */
export function removeMember(text: string, object: Node, name: string): string {
  const members = object.children ?? []
  const index = members.findIndex((member) => nameOf(member) === name)
  const member = members[index]
  if (!member) return text
  const comma = findComma(text, endOf(member))
  const previousComma = index > 0 && comma === undefined ? findComma(text, endOf(members[index - 1] as Node)) : undefined
  const removed = applyEdits(text, [
    ...(previousComma === undefined ? [] : [{ from: previousComma, to: previousComma + 1, text: '' }]),
    widenToLine(text, { from: member.offset, to: comma === undefined ? endOf(member) : comma + 1, text: '' }),
  ])
  const start = object.offset + 1
  const end = endOf(object) - 1 - (text.length - removed.length)
  return removed.slice(start, end).trim() === '' ? removed.slice(0, start) + removed.slice(end) : removed
}

const nameOf = (member: Node): unknown => member.children?.[0]?.value
const endOf = ({ offset, length }: Node): number => offset + length
const insertion = (at: number, text: string): TextEdit => ({ from: at, to: at, text })

/** Applies edits, which are in ascending order. */
function applyEdits(text: string, edits: readonly TextEdit[]): string {
  return edits.reduceRight((result, edit) => result.slice(0, edit.from) + edit.text + result.slice(edit.to), text)
}

/** Returns the offset of the comma after a member, if there is one. Skips comments. */
function findComma(text: string, at: number): number | undefined {
  const scanner = createScanner(text, true)
  scanner.setPosition(at)
  scanner.scan()
  const next = scanner.getTokenOffset()
  return text[next] === ',' ? next : undefined
}

/** Returns the length of the rest of the line, if it contains nothing but whitespace and one comment. */
function trailingCommentLength(text: string, at: number): number {
  return /^[ \t]*(\/\/[^\r\n]*|\/\*(?:(?!\*\/)[^\r\n])*\*\/[ \t]*)?(?=\r?\n)/.exec(text.slice(at))?.[0].length ?? 0
}

/** Widens a removal to the whole line if nothing else is on it, or else to the whitespace before it. */
function widenToLine(text: string, edit: TextEdit): TextEdit {
  const lineStart = /\r?\n[ \t]*$/.exec(text.slice(0, edit.from))
  const endsLine = /^[ \t]*(\r?\n|\})/.test(text.slice(edit.to))
  if (lineStart && endsLine) return { ...edit, from: lineStart.index }
  return { ...edit, from: edit.from - (/(?<![ \t])[ \t]*$/.exec(text.slice(0, edit.from))?.[0].length ?? 0) }
}

function startsLine(text: string, at: number): boolean {
  return /\n[ \t]*$/.test(text.slice(0, at))
}

function indentAt(text: string, at: number): string {
  const before = text.slice(0, at)
  return /^[ \t]*/.exec(before.slice(before.lastIndexOf('\n') + 1))?.[0] ?? ''
}

/** Detects the line breaks and the indentation of the file. */
function styleOf(text: string): { lineBreak: string; indentUnit: string } {
  return { lineBreak: text.includes('\r\n') ? '\r\n' : '\n', indentUnit: /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ' }
}
