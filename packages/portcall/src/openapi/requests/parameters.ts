/** Plans the parameters of an operation as arguments of a tool. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import type { ApiDocument } from '../document/document.ts'
import { objectOrEmpty, textOrNothing } from '../document/json.ts'
import type { DescribedOperation } from '../document/operations.ts'
import { isArgumentName } from '../names.ts'
import type { SchemaConverter } from '../schemas/definitions.ts'
import { memberNames } from '../schemas/form-fields.ts'
import { shorten } from '../schemas/keywords.ts'
import { placeholdersOf } from './placeholders.ts'
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
  /** True if a security scheme of the operation sets the header `Authorization`. */
  readonly isAuthorized: boolean
  /** Receives what the description says and the tool does not do. */
  readonly report: (problem: string) => void
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
  const sent = describedParameters(operation, options).flatMap((parameter) => {
    const place = placeOf(parameter)
    const name = String(parameter.name)
    if (place === undefined) {
      options.report(
        `the parameter ${name} is in ${JSON.stringify(parameter.in)}, which is no place of OpenAPI 3; it is left out`,
      )
      return []
    }
    if (isMemberPlace(place) && options.reserved.has(place, name)) return []
    if (place !== 'header' || !isForbiddenHeader(name)) return [{ parameter, place, name }]
    if (parameter.required === true && !isSetHeader(name, options))
      options.report(`the model cannot set the header ${name}; set it with "headers"`)
    return []
  })
  // Names that stay as they are come first, so that no other parameter takes them.
  const exactFirst = [...sent].sort((a, b) => Number(isArgumentName(b.name)) - Number(isArgumentName(a.name)))
  const names = new Map(exactFirst.map((one) => [one, options.nameArgument(one.name, one.place)]))
  return sent.map((one) => planParameter(one.parameter, { place: one.place, argument: names.get(one) ?? one.name }, options))
}

/** Reports whether the server sets a header that the model cannot set. */
function isSetHeader(name: string, { isAuthorized }: ParameterPlanOptions): boolean {
  const folded = name.trim().toLowerCase()
  return folded === 'authorization' ? isAuthorized : SET_HEADERS.includes(folded)
}

const SET_HEADERS = ['accept', 'content-type', 'content-length', 'host']

/** Returns the parameters of an operation, with one for each placeholder of its path. */
function describedParameters({ path, parameters }: DescribedOperation, { report }: ParameterPlanOptions): JsonObject[] {
  const placeholders = placeholdersOf(path)
  const isInPath = (name: unknown): boolean => placeholders.some((one) => one.text === name || one.name === name)
  const fits = parameters.filter(({ in: place, name }) => {
    const isMissing = place === 'path' && !isInPath(name)
    if (isMissing) report(`the path has no {${name}}; the parameter is left out`)
    return !isMissing
  })
  const missing = placeholders.filter(
    ({ text, name }) => !fits.some((one) => one.in === 'path' && (one.name === text || one.name === name)),
  )
  const isMoved = (parameter: JsonObject): boolean =>
    parameter.in === 'query' && missing.some(({ name }) => name === parameter.name)
  const added = missing
    .filter(({ name }) => name !== '' && !fits.some((parameter) => isMoved(parameter) && parameter.name === name))
    .map(({ name }) => {
      report(`no parameter describes {${name}} of the path; the argument accepts any text`)
      return { name, in: 'path', required: true, schema: { type: 'string' } }
    })
  const moved = fits.map((parameter) => {
    if (!isMoved(parameter)) return parameter
    report(`the parameter ${parameter.name} is described as a part of the query, and the path has it; it is sent in the path`)
    const { style: _style, explode: _explode, allowReserved: _reserved, ...rest } = parameter
    return { ...rest, in: 'path', required: true }
  })
  return [...added, ...moved]
}

function placeOf({ in: place }: JsonObject): ParameterPlace | undefined {
  return typeof place === 'string' && Object.hasOwn(STYLES, place) ? (place as ParameterPlace) : undefined
}

/** Reports whether parameters of this place become members of the request with their names. */
export function isMemberPlace(place: ParameterPlace): place is MemberPlace {
  return place === 'query' || place === 'header' || place === 'cookie'
}

interface ParameterNames {
  readonly place: ParameterPlace
  readonly argument: string
}

function planParameter(
  parameter: JsonObject,
  { place, argument }: ParameterNames,
  options: ParameterPlanOptions,
): PlannedParameter {
  const { name, description, style = STYLES[place], explode, allowReserved, example } = parameter
  const [mediaType, media] = Object.entries(objectOrEmpty(parameter.content))[0] ?? []
  const source = media ? options.document.follow(media).schema : (parameter.schema ?? {})
  const converted = options.schemas.convert(source)
  const schema: JsonObject = isObject(converted) ? { ...converted } : {}
  const text = textOrNothing(description) ?? textOrNothing(schema.description)
  const isRenamed = argument !== name
  if (text || isRenamed) schema.description = [text && shorten(text), isRenamed && `Sent as ${name}.`].filter(Boolean).join(' ')
  if (example !== undefined && schema.examples === undefined) schema.examples = [example]
  if (parameter.deprecated === true) schema.deprecated = true
  return {
    argument,
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
