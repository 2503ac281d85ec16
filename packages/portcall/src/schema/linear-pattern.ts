/** Patterns of untrusted schemas. RE2 is a large library: this module is loaded with the first such schema. */
import { RE2JS } from 're2js'

/**
 * Returns the function that looks for a pattern of JSON Schema in a text, in time that is linear in the length of the text. Returns
 * `undefined` for patterns that RE2 does not support, such as look-around and back-references.
 */
export function linearTest(source: string): ((text: string) => boolean) | undefined {
  try {
    const pattern = RE2JS.compile(RE2JS.translateRegExp(source))
    return (text) => pattern.test(text)
  } catch {
    return undefined
  }
}
