/** Reads the data of results for the views that show them. What does not fit throws a `TypeError`. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import type { ApprovalSpec, ChartSpec, ChoiceSpec, DescribedSpec, OptionSpec, ShownValue, TableSpec } from './spec.ts'
import { dataOf, kindOf, rowsOf, textOfValue, titleOf } from './values.ts'

/** The rows of a table and its columns. */
export interface TableData {
  readonly rows: readonly JsonObject[]
  readonly columns: readonly ShownValue[]
}

/** How many rows tell which columns there are. */
const ROWS_FOR_KEYS = 50

/** Returns the keys of rows, in the order in which they come. */
const keysOf = (rows: readonly JsonObject[]): string[] => [
  ...new Set(rows.slice(0, ROWS_FOR_KEYS).flatMap((row) => Object.keys(row))),
]

/** Reads a table. */
export function readTable(spec: TableSpec, data: unknown): TableData {
  const rows = rowsOf(data, spec.rows)
  const columns = spec.columns ?? keysOf(rows).map((key) => ({ key, title: titleOf(key) }))
  return { rows, columns: columns.map((column) => ({ kind: kindOf(column.key, rows), ...column })) }
}

/** The values of a chart. */
export interface ChartData {
  readonly labels: readonly string[]
  readonly series: readonly { readonly title: string; readonly values: readonly (number | undefined)[] }[]
}

const MAX_POINTS = 1000
const MAX_SLICES = 50

/** Reads a chart. */
export function readChart(spec: ChartSpec, data: unknown, locale?: string): ChartData {
  const rows = rowsOf(data, spec.rows)
  const keys = keysOf(rows)
  const isNumber = (key: string): boolean => kindOf(key, rows) === 'number'
  const x = spec.x ?? keys.find((key) => !isNumber(key)) ?? keys[0]
  const y = spec.y ?? keys.filter((key) => key !== x && isNumber(key)).map((key) => ({ key, title: titleOf(key) }))
  if (rows.length > 0 && (x === undefined || y.length === 0))
    throw new TypeError('The rows of the result have no numbers to draw')
  const most = spec.type === 'pie' ? MAX_SLICES : MAX_POINTS
  if (rows.length > most) throw new TypeError(`The result has ${rows.length} rows. A ${spec.type} chart shows at most ${most}`)
  const shown = spec.type === 'pie' ? y.slice(0, 1) : y
  return {
    labels: rows.map((row) => textOfValue(row[x ?? ''], { kind: kindOf(x ?? '', rows) }, locale)),
    series: shown.map(({ key, title }) => ({ title, values: rows.map((row) => readNumber(row[key], key, spec.type)) })),
  }
}

function readNumber(value: unknown, key: string, type: ChartSpec['type']): number | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new TypeError(`${JSON.stringify(key)} of a row is not a number`)
  if (type === 'pie' && value < 0)
    throw new TypeError(`${JSON.stringify(key)} of a row is negative, which a pie chart cannot show`)
  return value
}

/** A question and its answers. */
export interface ChoiceData {
  readonly prompt: string
  readonly options: readonly OptionSpec[]
  /** The members of the data that go along with the answer. */
  readonly included: JsonObject
}

/** Reads a question. */
export function readChoice(spec: ChoiceSpec, data: unknown): ChoiceData {
  const object = dataOf(data)
  const list = spec.options === undefined ? Object.values(object).find(Array.isArray) : object[spec.options]
  if (!Array.isArray(list) || list.length === 0) throw new TypeError('The result contains no options to choose from')
  const prompt = object[spec.prompt]
  return {
    prompt: typeof prompt === 'string' ? prompt : '',
    options: list.map(readOption),
    included: pick(object, spec.include),
  }
}

function readOption(value: unknown): OptionSpec {
  if (typeof value === 'string' || typeof value === 'number') return { value, title: String(value) }
  const { value: own, id, title, label, name, description } = (isObject(value) ? value : {}) as JsonObject
  const chosen = own ?? id ?? title ?? label ?? name
  if (typeof chosen !== 'string' && typeof chosen !== 'number')
    throw new TypeError('An option of the result has neither a value nor a title')
  return {
    value: chosen,
    title: String(title ?? label ?? name ?? chosen),
    ...(typeof description === 'string' && { description }),
  }
}

/** A proposal. */
export interface ApprovalData {
  readonly prompt: string
  readonly details: readonly { readonly title: string; readonly text: string }[]
  /** The arguments of the tools. */
  readonly included: JsonObject
}

/** Reads a proposal. */
export function readApproval(spec: ApprovalSpec, data: unknown, locale?: string): ApprovalData {
  const object = dataOf(data)
  const shown =
    spec.details ??
    Object.keys(object)
      .filter((key) => key !== spec.prompt && !isObject(object[key]))
      .map((key) => ({ key, title: titleOf(key) }))
  const details = shown
    .filter(({ key }) => object[key] !== undefined && object[key] !== null)
    .map((one) => ({ title: one.title, text: textOfValue(object[one.key], { kind: kindOf(one.key, [object]), ...one }, locale) }))
  const prompt = object[spec.prompt]
  return {
    prompt: typeof prompt === 'string' ? prompt : '',
    details,
    included: spec.include ? pick(object, spec.include) : object,
  }
}

const pick = (object: JsonObject, keys: readonly string[]): JsonObject =>
  Object.fromEntries(keys.filter((key) => object[key] !== undefined).map((key) => [key, object[key]]))

/** Checks that a view can show the data of a result. @throws TypeError if it cannot. */
export function checkData(spec: DescribedSpec, data: unknown): void {
  if (spec.kind === 'table') readTable(spec, data)
  else if (spec.kind === 'chart') readChart(spec, data)
  else if (spec.kind === 'choice') readChoice(spec, data)
  else if (spec.kind === 'approval') readApproval(spec, data)
  else dataOf(data)
}
