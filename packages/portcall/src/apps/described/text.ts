/** The text of results whose view is described as data: for models, and for hosts without views. */
import { readApproval, readChart, readChoice, readTable } from './read-data.ts'
import type { ApprovalSpec, ChartSpec, ChoiceSpec, DescribedSpec, FormSpec, TableSpec } from './spec.ts'
import { dataOf, textOfValue } from './values.ts'

/** The rows that do not fit into so many characters are counted only. Hosts cut longer results. */
const MAX_CHARACTERS = 50_000
const LOCALE = 'en'

/** Returns the data of a result as text, as far as it fits: a table as Markdown. @throws TypeError if the view cannot show it. */
export function textOfData(spec: DescribedSpec, data: unknown): string {
  const write = WRITERS[spec.kind] as (spec: DescribedSpec, data: unknown) => string
  const text = write(spec, data)
  return spec.title === undefined ? text : `${spec.title}\n\n${text}`
}

const WRITERS: {
  readonly [Kind in DescribedSpec['kind']]: (spec: Extract<DescribedSpec, { kind: Kind }>, data: unknown) => string
} = {
  table: tableText,
  chart: chartText,
  form: formText,
  choice: choiceText,
  approval: approvalText,
}

function tableText(spec: TableSpec, data: unknown): string {
  const { rows, columns } = readTable(spec, data)
  if (rows.length === 0) return spec.empty
  return markdown(
    columns.map(({ title }) => title),
    rows.map((row) => columns.map((column) => textOfValue(row[column.key], { ...column, kind: 'text' }, LOCALE))),
  )
}

function chartText(spec: ChartSpec, data: unknown): string {
  const { labels, series } = readChart(spec, data, LOCALE)
  const unit = spec.unit === undefined ? {} : { unit: spec.unit }
  return markdown(
    ['', ...series.map(({ title }) => title)],
    labels.map((label, index) => [label, ...series.map(({ values }) => textOfValue(values[index], unit, LOCALE))]),
  )
}

function formText({ fields, tool }: FormSpec, data: unknown): string {
  const values = dataOf(data)
  const lines = fields
    .filter(({ hidden }) => !hidden)
    .map(
      ({ name, title, required }) =>
        `- ${title}${required ? '' : ' (optional)'}: ${textOfValue(values[name], {}, LOCALE) || 'not filled in'}`,
    )
  return [`A form for the user, which calls the tool ${tool}:`, ...lines].join('\n')
}

function choiceText(spec: ChoiceSpec, data: unknown): string {
  const { prompt, options } = readChoice(spec, data)
  const lines = options.map(({ title, description }) => `- ${title}${description === undefined ? '' : `: ${description}`}`)
  return [prompt || 'The user chooses:', ...lines].join('\n')
}

function approvalText(spec: ApprovalSpec, data: unknown): string {
  const { prompt, details } = readApproval(spec, data, LOCALE)
  return [
    prompt || 'The user decides:',
    ...details.map(({ title, text }) => `- ${title}: ${text}`),
    'Nothing is done before the user approves.',
  ].join('\n')
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')
const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`

function markdown(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [line(titles), `|${titles.map(() => '---').join('|')}|`]
  let left = MAX_CHARACTERS
  for (const [index, row] of rows.entries()) {
    const text = line(row)
    left -= text.length + 1
    if (left < 0) return [...lines, `… and ${rows.length - index} more rows`].join('\n')
    lines.push(text)
  }
  return lines.join('\n')
}
