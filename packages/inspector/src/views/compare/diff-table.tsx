import type { JSX } from 'preact'
import type { DiffRow } from '../../state/protocol.ts'
import { Badge, type Tone } from '../../ui/basics.tsx'
import { Untrusted } from '../../ui/untrusted.tsx'

const TONES: { [change in DiffRow['change']]: Tone } = { added: 'good', removed: 'bad', changed: 'accent' }

/** The differences of two sides: one changed member is one row. */
export function DiffTable({ rows, left, right }: { rows: readonly DiffRow[]; left: string; right: string }): JSX.Element {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by keyboard
    <section class="table-scroll" tabIndex={0} aria-label="Table of the differences">
      <table class="table diff-table">
        <thead>
          <tr>
            <th scope="col">Change</th>
            <th scope="col">Item</th>
            <th scope="col">
              <Untrusted text={left} />
            </th>
            <th scope="col">
              <Untrusted text={right} />
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={`${row.where} ${row.pointer} ${row.change}`} row={row} sides={[left, right]} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Row({
  row: { where, pointer, change, before, after, breaking, reason },
  sides: [left, right],
}: {
  row: DiffRow
  sides: readonly [string, string]
}): JSX.Element {
  return (
    <tr>
      <td>
        <span class="stack tight">
          <Badge tone={TONES[change]}>{change}</Badge>
          {breaking !== undefined && <Badge tone={breaking ? 'bad' : 'neutral'}>{breaking ? 'breaking' : 'compatible'}</Badge>}
        </span>
      </td>
      <td>
        <strong>
          <Untrusted text={where} />
        </strong>
        <p class="mono small-text">
          <Untrusted text={pointer} />
        </p>
        {reason && <p class="muted small-text">{reason}</p>}
      </td>
      <td data-side={left}>{before !== undefined && <Value value={before} />}</td>
      <td data-side={right}>{after !== undefined && <Value value={after} />}</td>
    </tr>
  )
}

function Value({ value }: { value: unknown }): JSX.Element {
  return (
    <pre class="diff-value">
      <Untrusted text={typeof value === 'string' ? JSON.stringify(value) : JSON.stringify(value, null, 1)} />
    </pre>
  )
}
