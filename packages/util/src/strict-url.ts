import { isUrl } from './parse-url.ts'

/** The authority is not empty and has neither a user name nor percent-encoded characters; there is no fragment and no backslash. */
const SYNTAX = /^https?:\/\/[^/?#@\\%]+(?:[/?][^#\\]*)?$/i
const PRINTABLE_ASCII = /^[!-~]+$/

/**
 * Reports whether a text is an http or https URL as RFC 3986 writes it, without user name, password and fragment. `URL` accepts far more and
 * repairs it, such as `https:evil.example`, backslashes and line breaks. A repaired URL is not the one that others compare or display.
 */
export function isStrictUrl(text: string): boolean {
  return SYNTAX.test(text) && PRINTABLE_ASCII.test(text) && isUrl(text)
}
