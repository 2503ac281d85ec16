import {
  type Expression,
  type Operator,
  parseParts,
  type TemplateValue,
  type TemplateValues,
  type Variable,
} from './uri-parts.ts'

interface Style {
  /** Before the first value. */
  readonly first: string
  readonly separator: string
  /** `name=value`; what stands after the name of an empty value. */
  readonly named?: '' | '='
  /** Reserved characters and percent triplets stay as they are. */
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

/**
 * Makes a URI out of a template and values (RFC 6570, section 3). Missing values leave nothing behind.
 *
 * @throws SchemaError when the template is none.
 */
export function expandTemplate(template: string, values: TemplateValues): string {
  const parts = parseParts(template)
  return parts.map((part) => (typeof part === 'string' ? part : expandExpression(part, values))).join('')
}

function expandExpression({ operator, variables }: Expression, values: TemplateValues): string {
  const style = STYLES[operator]
  const pieces = variables.flatMap((variable) => {
    const value = Object.hasOwn(values, variable.name) ? values[variable.name] : undefined
    return expandVariable(variable, value, style)
  })
  return pieces.length === 0 ? '' : style.first + pieces.join(style.separator)
}

function expandVariable(variable: Variable, value: TemplateValue, style: Style): string[] {
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
  const whole = text.replace(/\p{Surrogate}/gu, '\ufffd')
  const outside = reserved ? /%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]/gu : /[^A-Za-z0-9\-._~]/gu
  return whole.replace(outside, (character) =>
    character.length === 3 && character.startsWith('%') ? character : percent(character),
  )
}

function percent(character: string): string {
  return Array.from(new TextEncoder().encode(character), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(
    '',
  )
}
