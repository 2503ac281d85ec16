/** Keys of data with their looks, as options name them. */
import { checkOptions, type OptionNames } from '../../../../util/src/check-options.ts'
import { describe } from '../../../../util/src/describe.ts'
import { withoutUndefined } from '../../../../util/src/without-undefined.ts'
import type { ShownValue } from '../../apps/described/spec.ts'
import { titleOf } from '../../apps/described/values.ts'
import type { ShownKey, TableColumn } from './options.ts'

const NAMES: OptionNames<ShownKey> = {
  key: 'nonempty',
  title: 'text',
  kind: ['text', 'number', 'date', 'link', 'badge'],
  digits: 'number',
  unit: 'text',
}
const COLUMN_NAMES: OptionNames<TableColumn> = { ...NAMES, sortable: 'boolean' }
const MAX_DIGITS = 20

/** Returns the keys of an option with their looks, each once. @throws TypeError; RangeError for `digits`. */
export function readKeys(where: string, keys: readonly (string | TableColumn)[], names: object = NAMES): readonly ShownValue[] {
  const shown = keys.map((one): ShownValue => {
    if (typeof one === 'string' && one !== '') return { key: one, title: titleOf(one) }
    checkOptions(where, one, { names, required: { key: 'Name the key in the data' } })
    const { key, title = titleOf(key), digits, ...others } = one as TableColumn
    if (digits !== undefined && !(Number.isInteger(digits) && digits >= 0 && digits <= MAX_DIGITS))
      throw new RangeError(`${where}: digits must be a whole number from 0 to ${MAX_DIGITS}, not ${digits}`)
    return withoutUndefined({ ...others, key, title, digits }) as ShownValue
  })
  const twice = shown.find(({ key }, index) => shown.findIndex((other) => other.key === key) !== index)
  if (twice) throw new TypeError(`${where}: ${describe(twice.key)} is there twice`)
  if (shown.length === 0) throw new TypeError(`${where}: name at least one key`)
  return shown
}

/** Returns the columns of a table. @throws TypeError; RangeError for `digits`. */
export const readColumns = (where: string, columns: readonly (string | TableColumn)[]): readonly ShownValue[] =>
  readKeys(where, columns, COLUMN_NAMES)
