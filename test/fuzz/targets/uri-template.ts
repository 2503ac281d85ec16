/** URI templates: any template is parsed or refused, and no value that a URI yields leaves the root of its template. */
import { SchemaError } from '../../../packages/portcall/src/schema/errors.ts'
import { expandTemplate } from '../../../packages/portcall/src/schema/uri-template/expand.ts'
import { parseTemplate } from '../../../packages/portcall/src/schema/uri-template/template.ts'
import { check, thrownBy } from './pieces.ts'

export function fuzz(data: Buffer): void {
  const [text = '', uri = ''] = data.toString().split('\n', 2)
  const refused = thrownBy(() => parseTemplate(text))
  if (refused) return check(refused instanceof SchemaError, 'a template is refused with SchemaError')
  const template = parseTemplate(text)
  const values = template.match(uri)
  if (values) {
    const all = Object.values(values).flat()
    check(
      Object.keys(values).every((name) => template.variables.includes(name)),
      'only variables of the template have values',
    )
    check(!all.some((value) => value.includes('\0')), 'no value contains NUL')
    check(!all.some((value) => value.split(/[\\/]/).includes('..')), 'no value contains a segment that leaves the root')
  }
  const error = thrownBy(() => template.match(expandTemplate(text, values ?? {})))
  check(error === undefined, 'the values of a URI can be expanded')
}
