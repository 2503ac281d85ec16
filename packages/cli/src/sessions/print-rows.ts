import type { ComparisonRow } from 'portcall/diagnostics'
import type { FlagOf } from '../command.ts'
import type { Io } from '../io.ts'

/** Returns the option that leaves members out of a comparison. `members` says of what, with an example. */
export function ignoreFlag(members: string): FlagOf<readonly string[]> {
  const description = `Do not compare this member of ${members}; * stands for any name; repeatable`
  return { type: 'string', short: 'i', multiple: true, value: 'PATH', description }
}

const SIGNS: { readonly [change in ComparisonRow['change']]: string } = { added: '+', removed: '-', changed: '~' }
const MAX_VALUE = 80

/** Prints one line for each difference: the item, the member, the values, and whether it breaks clients. */
export function printRows(rows: readonly ComparisonRow[], io: Io): void {
  for (const { where, pointer, change, before, after, breaking, reason } of rows) {
    const values = pointer === '' ? '' : ` ${showValues(change, before, after)}`
    const impact = breaking === undefined ? '' : `  [${breaking ? 'breaking' : 'compatible'}: ${reason}]`
    io.line(`${SIGNS[change]} ${where}${pointer === '' ? '' : ` ${pointer}`}${values}${impact}`)
  }
}

function showValues(change: ComparisonRow['change'], before: unknown, after: unknown): string {
  if (change === 'added') return show(after)
  return change === 'removed' ? show(before) : `${show(before)} → ${show(after)}`
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? ''
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text
}
