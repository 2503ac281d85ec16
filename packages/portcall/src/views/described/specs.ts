/** Checks options, and makes descriptions of them. */
import { checkOptions, type OptionNames } from '../../../../util/src/check-options.ts'
import { withoutUndefined } from '../../../../util/src/without-undefined.ts'
import type { ActionSpec, ApprovalSpec, ChartSpec, ChoiceSpec, FormSpec, TableSpec } from '../../apps/described/spec.ts'
import { readFields } from './form-fields.ts'
import type {
  ApprovalViewOptions,
  ChartViewOptions,
  ChoiceViewOptions,
  DecisionButton,
  DescribedViewOptions,
  FormViewOptions,
  TableViewOptions,
} from './options.ts'
import { readColumns, readKeys } from './shown-keys.ts'

/** The options that `view` checks. */
export const COMMON_NAMES: OptionNames<DescribedViewOptions> = {
  name: 1,
  title: 1,
  description: 1,
  border: 1,
  listed: 1,
  cache: 1,
  domain: 1,
  url: 1,
  hosts: 1,
  chatgpt: 1,
}
const known = <T>(names: Omit<OptionNames<T>, keyof DescribedViewOptions>): object => ({ ...COMMON_NAMES, ...names })

const TABLE = known<TableViewOptions>({
  rows: 'nonempty',
  columns: 'array',
  search: 'boolean',
  pageSize: 'number',
  empty: 'text',
})
const MAX_PAGE_ROWS = 500

/** Describes a table. @throws TypeError; RangeError. */
export function describeTable(where: string, options: TableViewOptions): TableSpec {
  checkOptions(where, options, { names: TABLE, advice: { data: 'Use "rows"', filter: 'Use "search"' } })
  const { title, rows, columns, search = true, pageSize = 10, empty = 'No rows' } = options
  if (!(Number.isInteger(pageSize) && pageSize >= 1 && pageSize <= MAX_PAGE_ROWS))
    throw new RangeError(`${where}: pageSize must be a whole number from 1 to ${MAX_PAGE_ROWS}, not ${pageSize}`)
  const shown = columns && readColumns(`${where}: columns`, columns)
  return withoutUndefined({ kind: 'table', title, rows, columns: shown, search, pageSize, empty }) as TableSpec
}

const CHART = known<ChartViewOptions>({
  type: ['bar', 'line', 'pie'],
  rows: 'nonempty',
  x: 'nonempty',
  y: true,
  stacked: 'boolean',
  unit: 'text',
})

/** Describes a chart. @throws TypeError. */
export function describeChart(where: string, options: ChartViewOptions): ChartSpec {
  checkOptions(where, options, { names: CHART, advice: { kind: 'Use "type"', series: 'Use "y"' } })
  const { title, type = 'bar', rows, x, y, stacked = false, unit } = options
  const series = y === undefined ? undefined : readKeys(`${where}: y`, [y].flat())
  if (type === 'pie' && series && series.length > 1) throw new TypeError(`${where}: a pie chart has one key in y`)
  return withoutUndefined({ kind: 'chart', title, type, rows, x, y: series, stacked, unit }) as ChartSpec
}

const FORM = known<FormViewOptions>({ tool: 'nonempty', input: 'object', fields: 'object', submit: 'nonempty', done: 'text' })

/** Describes a form. @throws TypeError. */
export function describeForm(where: string, options: FormViewOptions): FormSpec {
  const required = { tool: 'Name the tool that gets what is entered', input: 'Pass the input schema of the tool' }
  checkOptions(where, options, { names: FORM, required, advice: { schema: 'Use "input"', onSubmit: 'Use "tool"' } })
  const { title, tool, input, fields, submit = 'Submit', done } = options
  return withoutUndefined({ kind: 'form', title, tool, submit, done, fields: readFields(where, input, fields) }) as FormSpec
}

const CHOICE = known<ChoiceViewOptions>({
  prompt: 'nonempty',
  options: 'nonempty',
  multiple: 'boolean',
  submit: 'nonempty',
  tool: 'nonempty',
  argument: 'nonempty',
  include: 'texts',
})

/** Describes a question. @throws TypeError. */
export function describeChoice(where: string, all: ChoiceViewOptions): ChoiceSpec {
  checkOptions(where, all, { names: CHOICE })
  const { title, prompt = 'prompt', options, multiple = false, submit = 'Choose', tool, argument = 'choice', include = [] } = all
  if (tool === undefined && (all.argument !== undefined || include.length > 0))
    throw new TypeError(`${where}: argument and include need a tool`)
  const spec = { kind: 'choice', title, prompt, options, multiple, submit, tool, argument, include }
  return withoutUndefined(spec) as ChoiceSpec
}

const APPROVAL = known<ApprovalViewOptions>({
  prompt: 'nonempty',
  details: 'array',
  include: 'texts',
  approve: true,
  deny: true,
  danger: 'boolean',
})
const BUTTON: OptionNames<DecisionButton> = { tool: 'nonempty', title: 'nonempty' }

/** Describes a proposal. @throws TypeError. */
export function describeApproval(where: string, options: ApprovalViewOptions): ApprovalSpec {
  const required = { approve: 'Name the tool that does what is approved' }
  checkOptions(where, options, { names: APPROVAL, required, advice: { reject: 'Use "deny"', fields: 'Use "details"' } })
  const { title, prompt = 'prompt', details, include, approve, deny = {}, danger = false } = options
  const shown = details && readKeys(`${where}: details`, details)
  const buttons = {
    approve: readButton(`${where}: approve`, approve, 'Approve'),
    deny: readButton(`${where}: deny`, deny, 'Deny'),
  }
  if (buttons.approve.tool === undefined) throw new TypeError(`${where}: approve.tool is missing. ${required.approve}`)
  return withoutUndefined({ kind: 'approval', title, prompt, details: shown, include, ...buttons, danger }) as ApprovalSpec
}

function readButton(where: string, button: string | Partial<DecisionButton>, usual: string): ActionSpec {
  if (typeof button === 'string' && button !== '') return { title: usual, tool: button }
  checkOptions(where, button, { names: BUTTON })
  const { tool, title = usual } = button as Partial<DecisionButton>
  return { title, ...(tool !== undefined && { tool }) }
}
