/**
 * Parses URLs. `URL.canParse` is not used for them: on Node 20 and 22 it refuses URLs with letters such as é after a few thousand calls, when the
 * engine has compiled its caller.
 */

/** Parses an absolute URL, or one that is relative to `base`. Returns `undefined` if it is none. */
export function parseUrl(text: string | URL, base?: string | URL): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}

/** Reports whether a text is an absolute URL, or a URL that is relative to `base`. */
export function isUrl(text: string | URL, base?: string | URL): boolean {
  return parseUrl(text, base) !== undefined
}
