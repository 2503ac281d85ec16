import { isObject } from '../../jsonrpc.ts'
import { typesOf } from '../arguments/types.ts'

const FEW = 5

/** The type of a value in a word or a few: `string`, `"a"|"b"`, `integer[]`. */
export function typeWord(schema: unknown, root: unknown): string {
  if (!isObject(schema)) return 'any'
  const { enum: values, items } = schema
  if (Array.isArray(values)) {
    const shown = values.slice(0, FEW).map((value) => JSON.stringify(value))
    return [...shown, ...(values.length > FEW ? ['…'] : [])].join('|')
  }
  const types = [...typesOf(schema, root)]
  if (types.length === 0) return 'any'
  return types.map((type) => (type === 'array' ? `${typeWord(items, root)}[]` : type)).join('|')
}
