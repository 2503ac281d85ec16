import { parseUrl } from '../../util/parse-url.ts'

/** The values that replaced variables in a configuration, which must not be printed. */
export interface VariableMask {
  /** Remembers a value, and the text that stands for it in the configuration. */
  add(value: string, written: string): void
  /** Replaces the values in a text by what is written in the configuration. */
  hide(text: string): string
}

/** Shorter values, such as ports, are parts of many texts. No key is that short. */
const MIN_LENGTH = 6

/** Creates a mask without values. */
export function createVariableMask(): VariableMask {
  const values = new Map<string, string>()
  let byLength: [value: string, written: string][] = []
  return {
    add(value, written) {
      if (value.length < MIN_LENGTH) return
      for (const part of new Set([value, ...value.split(/\s+/)])) for (const form of formsOf(part)) values.set(form, written)
      // A value may contain another one.
      byLength = [...values].sort(([one], [other]) => other.length - one.length)
    },
    hide: (text) => byLength.reduce((rest, [value, written]) => rest.replaceAll(value, () => written), text),
  }
}

/** Returns how a value and its words look in plain text, in URLs and in JSON. Messages may split a command at spaces. */
function formsOf(value: string): string[] {
  const inUrls = [parseUrl(`http://a/${value}`)?.pathname, parseUrl(`http://a/?${value}`)?.search].map((part = '') =>
    part.slice(1),
  )
  const encoded = encodeURIComponent(Buffer.from(value).toString())
  return [value, encoded, JSON.stringify(value).slice(1, -1), ...inUrls].filter((form) => form.length >= MIN_LENGTH)
}
