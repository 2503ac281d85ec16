import { type EncodedTexts, findEncoded } from '../../../util/src/encoded-forms.ts'
import { parseUrl } from '../../../util/src/parse-url.ts'

/** The values that replaced variables in a configuration, which must not be printed. */
export interface VariableMask {
  /** Remembers a value, and the text that stands for it in the configuration. */
  add(value: string, written: string): void
  /** Replaces the values in a text by what is written in the configuration. */
  hide(text: string): string
}

/** Shorter values, such as ports, are parts of many texts. No key is that short. */
const MIN_LENGTH = 6

interface KnownValue {
  readonly encoded: EncodedTexts
  readonly written: string
}

/** Creates a mask without values. */
export function createVariableMask(): VariableMask {
  const values = new Map<string, KnownValue>()
  let byLength: [value: string, known: KnownValue][] = []
  return {
    add(value, written) {
      if (value.length < MIN_LENGTH) return
      for (const part of new Set([value, ...value.split(/\s+/)]))
        for (const form of formsOf(part)) values.set(form, { encoded: findEncoded([form]), written })
      // A value may contain another one.
      byLength = [...values].sort(([one], [other]) => other.length - one.length)
    },
    hide: (text) => byLength.reduce((rest, [, { encoded, written }]) => encoded.replaceIn(rest, written), text),
  }
}

/** Returns a value, and the path that a URL makes of it, without dot segments and with slashes for backslashes. */
function formsOf(value: string): string[] {
  const path = parseUrl(`http://a/${value}`)?.pathname.slice(1) ?? ''
  return [value, path].filter((form) => form.length >= MIN_LENGTH)
}
