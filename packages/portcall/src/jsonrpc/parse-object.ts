import { parseJson } from '../../../util/src/parse-json.ts'
import { isObject, type JsonObject } from './message.ts'

/** Returns the object of a JSON text, and `undefined` for any other text. */
export function parseObject(text: string | undefined): JsonObject | undefined {
  const value = parseJson(text)
  return isObject(value) ? value : undefined
}
