/** Plans the parameters of an operation as arguments of a tool. */
import { isObject, type JsonObject } from '../../entrypoints/jsonrpc.ts'
import type { ApiDocument } from '../document/document.ts'
import { objectOrEmpty, textOrNothing } from '../document/json.ts'
import type { DescribedOperation } from '../document/operations.ts'
import type { SchemaConverter } from '../schemas/definitions.ts'
import { shorten } from '../schemas/keywords.ts'
import { memberNames } from './form-fields.ts'
import { isForbiddenHeader, type MemberPlace, type ParameterPlace, type ReservedNames } from './reserved-names.ts'
import type { ParameterStyle } from './styles.ts'

/** A parameter of an operation, and the argument that provides its value. */
export interface PlannedParameter extends ParameterStyle {
  /** The name of the argument. */
  readonly argument: string
  readonly name: string
  readonly place: ParameterPlace
  readonly required: boolean
  /** The media type that serializes the value instead of a style. */
  readonly mediaType: string | undefined
  /** The JSON Schema of the argument. */
  readonly schema: JsonObject
  /** The names of the members of an object, if its schema lists them. */
  readonly members: ReadonlySet<string> | undefined
}

export interface ParameterPlanOptions {
  readonly document: ApiDocument
  readonly schemas: SchemaConverter
  /** The names that never get a value from an argument: those of credentials, and those that the configuration sets. */
  readonly reserved: ReservedNames
  readonly nameArgument: (name: string, place: string) => string
}

const STYLES: { readonly [place in ParameterPlace]: string } = {
  path: 'simple',
  query: 'form',
  header: 'simple',
  cookie: 'form',
  querystring: 'form',
}
/** Plans the parameters of an operation. Those that carry credentials are left out: credentials never come from the model. */
export function planParameters(operation: DescribedOperation, options: ParameterPlanOptions): PlannedParameter[] {
  return operation.parameters.flatMap((parameter) => {
    const place = placeOf(parameter)
    const name = String(parameter.name)
    if (place === undefined || (isMemberPlace(place) && options.reserved.has(place, name))) return []
    if (place === 'header' && isForbiddenHeader(name)) return []
    if (place === 'path' && !operation.path.includes(`{${name}}`)) return []
    return [planParameter(parameter, place, options)]
  })
}

function placeOf({ in: place }: JsonObject): ParameterPlace | undefined {
  return typeof place === 'string' && Object.hasOwn(STYLES, place) ? (place as ParameterPlace) : undefined
}

/** Reports whether parameters of this place become members of the request with their names. */
export function isMemberPlace(place: ParameterPlace): place is MemberPlace {
  return place === 'query' || place === 'header' || place === 'cookie'
}

function planParameter(parameter: JsonObject, place: ParameterPlace, options: ParameterPlanOptions): PlannedParameter {
  const { name, description, style = STYLES[place], explode, allowReserved, example } = parameter
  const [mediaType, media] = Object.entries(objectOrEmpty(parameter.content))[0] ?? []
  const source = media ? options.document.follow(media).schema : (parameter.schema ?? {})
  const converted = options.schemas.convert(source)
  const schema: JsonObject = isObject(converted) ? { ...converted } : {}
  const text = textOrNothing(description)
  if (text) schema.description = shorten(text)
  if (example !== undefined && schema.examples === undefined) schema.examples = [example]
  if (parameter.deprecated === true) schema.deprecated = true
  return {
    argument: options.nameArgument(String(name), place),
    name: String(name),
    place,
    required: parameter.required === true || place === 'path',
    mediaType,
    style: String(style),
    explode: typeof explode === 'boolean' ? explode : style === 'form' || style === 'cookie' || style === 'deepObject',
    allowReserved: allowReserved === true,
    schema,
    members: memberNames(source, options.document),
  }
}
