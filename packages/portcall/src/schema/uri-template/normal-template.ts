import { normalText, normalUri } from '../../../../util/src/normal-uri.ts'
import { parseTemplate, type UriTemplate } from './template.ts'

/**
 * Returns the function that matches URIs with a template when both are in normal form: a client that parses URIs sends other texts than a
 * template expands to. The case of values is kept. Use it for URIs that the template itself does not match.
 *
 * @throws SchemaError if the template is invalid.
 */
export function createNormalMatcher(template: string): UriTemplate['match'] {
  const [, scheme, authority, rest = ''] =
    /^([A-Za-z][A-Za-z0-9+.-]*):(?:\/\/([^/?#{}]*)(?=$|[/?#]|\{[/?#&;]))?(.*)$/s.exec(template) ?? []
  if (scheme === undefined) return parseTemplate(normalLiterals(template)).match
  const prefix = `${scheme.toLowerCase()}:`
  if (authority === undefined) {
    // Parts of the host are values, so that its case counts.
    const { match } = parseTemplate(prefix + normalLiterals(rest))
    return (uri) => match(withNormalScheme(uri))
  }
  const host = normalUri(`${scheme}://${authority}/`)
  const { match } = parseTemplate(host.slice(0, -1) + (/^(?:\/|\{\/)/.test(rest) ? '' : '/') + normalLiterals(rest))
  return (uri) => match(normalUri(uri))
}

function normalLiterals(text: string): string {
  return text
    .split(/(\{[^{}]*\})/)
    .map((part) => (part.startsWith('{') ? part : normalText(part)))
    .join('')
}

function withNormalScheme(uri: string): string {
  const end = uri.indexOf(':') + 1
  return uri.slice(0, end).toLowerCase() + normalText(uri.slice(end))
}
