import {
  type Operator,
  parseTemplateParts,
  type TemplateExpression,
  type TemplateValue,
  type TemplateValues,
  type TemplateVariable,
} from './parse.ts'

/** How an operator formats the values of an expression. */
interface Style {
  /** The prefix of the first value. */
  readonly first: string
  readonly separator: string
  /** Formats `name=value`. This is what follows the name of an empty value. */
  readonly named?: '' | '='
  /** Keeps reserved characters and percent-encoded triplets. */
  readonly reserved?: true
}

/** RFC 6570, appendix A. */
const STYLES: { readonly [O in Operator]: Style } = {
  '': { first: '', separator: ',' },
  '+': { first: '', separator: ',', reserved: true },
  '#': { first: '#', separator: ',', reserved: true },
  '.': { first: '.', separator: '.' },
  '/': { first: '/', separator: '/' },
  ';': { first: ';', separator: ';', named: '' },
  '?': { first: '?', separator: '&', named: '=' },
  '&': { first: '&', separator: '&', named: '=' },
}

/** Expands a URI template (RFC 6570, section 3). Variables without a value are omitted. @throws SchemaError if the template is invalid. */
export function expandTemplate(template: string, values: TemplateValues): string {
  const parts = parseTemplateParts(template)
  return parts.map((part) => (typeof part === 'string' ? part : expandExpression(part, values))).join('')
}

function expandExpression({ operator, variables }: TemplateExpression, values: TemplateValues): string {
  const style = STYLES[operator]
  const pieces = variables.flatMap((variable) => {
    const value = Object.hasOwn(values, variable.name) ? values[variable.name] : undefined
    return expandVariable(variable, value, style)
  })
  return pieces.length === 0 ? '' : style.first + pieces.join(style.separator)
}

function expandVariable(variable: TemplateVariable, value: TemplateValue, style: Style): string[] {
  if (value === undefined || value === null) return []
  if (typeof value !== 'object') {
    const text = Array.from(String(value)).slice(0, variable.prefix).join('')
    return [withName(variable.name, encode(text, style), style)]
  }
  const pairs: [string | undefined, string][] = isList(value) ? value.map((item) => [undefined, item]) : Object.entries(value)
  if (pairs.length === 0) return []
  const encoded = pairs.map(([key, item]) => [key === undefined ? undefined : encode(key, style), encode(item, style)] as const)
  if (!variable.explode)
    return [
      withName(
        variable.name,
        encoded
          .flat()
          .filter((text) => text !== undefined)
          .join(','),
        style,
      ),
    ]
  return encoded.map(([key, item]) => {
    if (style.named !== undefined) return withName(key ?? variable.name, item, style)
    return key === undefined ? item : `${key}=${item}`
  })
}

function isList(value: object): value is readonly string[] {
  return Array.isArray(value)
}

function withName(name: string, text: string, { named }: Style): string {
  if (named === undefined) return text
  return text === '' ? name + named : `${name}=${text}`
}

function encode(text: string, { reserved }: Style): string {
  const wellFormed = text.replace(/\p{Surrogate}/gu, '\ufffd')
  const encoded = reserved ? /%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]/gu : /[^A-Za-z0-9\-._~]/gu
  return wellFormed.replace(encoded, (character) =>
    character.length === 3 && character.startsWith('%') ? character : percentEncode(character),
  )
}

function percentEncode(character: string): string {
  return Array.from(new TextEncoder().encode(character), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(
    '',
  )
}
