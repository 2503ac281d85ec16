/** Returns the names of the variables of a URI template (RFC 6570), in order and once each. */
export function templateVariables(template: string): string[] {
  const names = [...template.matchAll(/\{[+#./;?&]?([^{}]+)\}/g)].flatMap(([, list = '']) => list.split(','))
  return [...new Set(names.map((name) => name.replace(/(?::\d+|\*)$/, '').trim()))].filter(Boolean)
}

const OPERATORS: {
  [operator: string]: { first: string; separator: string; named: boolean; reserved: boolean; ifEmpty: string }
} = {
  '': { first: '', separator: ',', named: false, reserved: false, ifEmpty: '' },
  '+': { first: '', separator: ',', named: false, reserved: true, ifEmpty: '' },
  '#': { first: '#', separator: ',', named: false, reserved: true, ifEmpty: '' },
  '.': { first: '.', separator: '.', named: false, reserved: false, ifEmpty: '' },
  '/': { first: '/', separator: '/', named: false, reserved: false, ifEmpty: '' },
  ';': { first: ';', separator: ';', named: true, reserved: false, ifEmpty: '' },
  '?': { first: '?', separator: '&', named: true, reserved: false, ifEmpty: '=' },
  '&': { first: '&', separator: '&', named: true, reserved: false, ifEmpty: '=' },
}

/** Expands a URI template with text values. Variables without a value are left out, as RFC 6570 says. */
export function expandTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{([+#./;?&]?)([^{}]+)\}/g, (_, operator: string, list: string) => {
    const rule = OPERATORS[operator]
    if (!rule) return ''
    const parts = list.split(',').flatMap((spec) => {
      const [, name = '', length] = /^(.*?)(?::(\d+)|\*)?$/.exec(spec.trim()) ?? []
      const value = values[name]
      if (value === undefined || value === '') return rule.named && value === '' ? [`${name}${rule.ifEmpty}`] : []
      const cut = length === undefined ? value : [...value].slice(0, Number(length)).join('')
      const text = rule.reserved ? encodeReserved(cut) : encodeUnreserved(cut)
      return [rule.named ? `${name}=${text}` : text]
    })
    return parts.length === 0 ? '' : rule.first + parts.join(rule.separator)
  })
}

const percent = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`

const encodeUnreserved = (text: string): string => encodeURIComponent(text).replaceAll(/[!'()*]/g, percent)

const encodeReserved = (text: string): string =>
  encodeURI(text)
    .replaceAll(/%5B/g, '[')
    .replaceAll(/%5D/g, ']')
    .replaceAll(/%25([\dA-Fa-f]{2})/g, '%$1')
