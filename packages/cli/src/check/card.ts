import type { CardReport } from 'portcall/diagnostics'
import type { Io } from '../io.ts'

const MEMBER_WIDTH = 27
const INDENT = '  '

/** Returns the levels of the faults and differences of a card. */
export function levelsOf({ faults, comparisons }: CardReport): readonly ('error' | 'warning')[] {
  const differences = comparisons.flatMap(({ verdict }) => (verdict === 'same' ? [] : [verdict]))
  return [...faults.map(({ level }) => level), ...differences]
}

/** Prints a table that compares a server card with the server. */
export function printCard(report: CardReport, io: Io): void {
  const { url, faults, comparisons } = report
  io.print([])
  io.print([{ tone: 'strong', text: 'server card' }, ` ${url}`])
  for (const { level, message } of faults)
    io.print([INDENT, { tone: level === 'error' ? 'bad' : 'warning', text: `${level}:` }, ` ${message}`], INDENT.length)
  for (const { member, card, server, verdict } of comparisons) {
    const mark =
      verdict === 'same'
        ? ({ tone: 'good', text: '✓' } as const)
        : ({ tone: verdict === 'error' ? 'bad' : 'warning', text: verdict === 'error' ? '✗' : '!' } as const)
    const values = verdict === 'same' ? card : `card: ${card || 'none'}; server: ${server || 'none'}`
    io.print([INDENT, mark, ` ${member.padEnd(MEMBER_WIDTH)} ${values}`], MEMBER_WIDTH + 5)
  }
  if (levelsOf(report).length === 0) io.print([INDENT, 'The card agrees with the server.'])
}
