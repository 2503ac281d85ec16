/** Plans the body of requests as the argument `body`, and serializes it. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import type { ApiDocument } from '../document/document.ts'
import { objectOrEmpty, textOrNothing } from '../document/json.ts'
import type { SchemaConverter } from '../schemas/definitions.ts'
import { formFields } from '../schemas/form-fields.ts'
import { stringifyExactly } from '../schemas/integers.ts'
import { shorten } from '../schemas/keywords.ts'
import { type FileArgument, fileBlob, fileSchema, isFileArgument } from './files.ts'
import { type BodyKind, type ChosenMediaType, chooseMediaType, isMediaType, isRange } from './media-types.ts'
import { isFile, type PlannedForm, planForm, serializeMultipart } from './multipart.ts'
import { serializeQueryValue, toText } from './styles.ts'

/** The body of an operation, and the argument that provides it. */
export interface PlannedBody {
  /** The name of the argument. */
  readonly argument: string
  readonly required: boolean
  readonly mediaType: string
  /** The media types of the description. */
  readonly described: readonly string[]
  readonly kind: BodyKind
  /** The JSON Schema of the argument. */
  readonly schema: JsonObject
  /** The fields of a multipart form. */
  readonly form: PlannedForm | undefined
  /** The encoding objects of a form, by the names of its fields. */
  readonly encoding: JsonObject
  /** The names of the fields that the description declares. */
  readonly fields: ReadonlySet<string>
}

export interface BodyPlanOptions {
  readonly document: ApiDocument
  readonly schemas: SchemaConverter
  readonly nameArgument: (name: string, place: string) => string
  /** The media type to send, if the operation accepts several. */
  readonly preferred: string | undefined
  /** Receives what the description says and the tool does not do. */
  readonly report: (problem: string) => void
}

/** Plans the body of an operation, or returns `undefined` if it has none. */
export function planBody(source: unknown, options: BodyPlanOptions): PlannedBody | undefined {
  const { document, schemas } = options
  const body = document.follow(source)
  const content = objectOrEmpty(body.content)
  const named = chooseMediaType(Object.keys(content), options.preferred)
  if (named === undefined) return undefined
  const chosen = narrowRange(named, objectOrEmpty(document.follow(content[named.key])).schema, document)
  const { kind, mediaType, key } = chosen
  if (!isMediaType(key)) options.report(`${JSON.stringify(key)} is no media type; the body is sent as ${mediaType}`)
  const media = document.follow(content[key])
  const encoding = objectOrEmpty(media.encoding)
  const form = kind === 'multipart' ? planForm(media.schema, { document, schemas, encoding, report: options.report }) : undefined
  const planned = form?.schema ?? bodySchema(chosen, media.schema, options)
  const description = textOrNothing(body.description)
  return {
    argument: options.nameArgument('body', 'request'),
    required: body.required === true,
    mediaType,
    described: Object.keys(content),
    kind,
    schema: description && planned.description === undefined ? { ...planned, description: shorten(description) } : planned,
    form,
    encoding,
    fields: new Set(Object.keys(formFields(media.schema, document).properties)),
  }
}

const ANY_DESCRIPTION =
  'Any JSON; or a file: an object with its media type as "contentType", and its content as "text", or as "data" in base64.'

/** Decides by the schema what a body is whose media type may be any: a file, a text or JSON. Without a schema, the caller decides. */
function narrowRange(chosen: ChosenMediaType, schema: unknown, document: ApiDocument): ChosenMediaType {
  if (chosen.kind !== 'json' || !isRange(chosen.key)) return chosen
  const source = document.follow(schema)
  const isAny = Object.keys(source).every((keyword) => ANNOTATIONS.includes(keyword))
  if (isAny) return { ...chosen, kind: 'any' }
  if (isFile(source)) return { ...chosen, kind: 'binary', mediaType: 'application/octet-stream' }
  return source.type === 'string' ? { ...chosen, kind: 'text', mediaType: 'text/plain' } : chosen
}

/** Keywords that do not limit values. */
const ANNOTATIONS: readonly string[] = ['title', 'description', 'example', 'examples', 'default', 'deprecated', 'externalDocs']

function bodySchema({ kind, mediaType }: ChosenMediaType, schema: unknown, { document, schemas }: BodyPlanOptions): JsonObject {
  if (kind === 'binary') return fileSchema()
  if (kind === 'any') return { description: ANY_DESCRIPTION }
  const converted = objectOrEmpty(schemas.convert(schema))
  if (kind !== 'text' || converted.type === 'string') return converted
  // The model writes the text itself: what the schema says about objects does not apply to it.
  const description = textOrNothing(document.follow(schema).description)
  return {
    type: 'string',
    description: [`The body as ${mediaType}.`, description && shorten(description)].filter(Boolean).join(' '),
  }
}

/** A serialized body, and the headers that describe it. */
export interface SerializedBody {
  readonly content: string | Blob
  readonly mediaType: string
}

/** Decides which names of a form are sent. */
export interface FormNames {
  /** Reports whether the form may have a field of this name. */
  acceptsField(name: string): boolean
  /** Reports whether a member of an exploded object may become a field. */
  acceptsMember(name: string): boolean
}

/** The description of a body, on which its serialization depends. */
export interface BodyContext extends FormNames {
  /** The schema of all arguments, with the definitions that the schema of the body refers to. */
  readonly inputSchema: JsonObject
}

/** Serializes the value of the argument. Fields of forms whose names are not accepted are left out. */
export function serializeBody(body: PlannedBody, value: unknown, { inputSchema, ...names }: BodyContext): SerializedBody {
  const { kind, mediaType, form } = body
  if (kind === 'any' && isFileArgument(value) && value.contentType !== undefined) return serializeFile(value, mediaType)
  if (kind === 'json' || kind === 'any') return { content: stringifyExactly(value, body.schema, inputSchema), mediaType }
  // Some descriptions say that a form is a string: the model wrote it as it is sent.
  if (kind === 'form' && typeof value === 'string') return { content: value, mediaType }
  if (kind === 'form') return { content: serializeForm(acceptedFields(value, names), body, names), mediaType }
  if (form) return serializeMultipart(acceptedFields(value, names), form, mediaType)
  if (kind === 'text') return { content: toText(value), mediaType }
  return serializeFile(isObject(value) ? value : { text: toText(value) }, mediaType)
}

function serializeFile(file: FileArgument, mediaType: string): SerializedBody {
  const content = fileBlob(file, mediaType)
  return { content, mediaType: content.type }
}

function acceptedFields(value: unknown, { acceptsField }: FormNames): [string, unknown][] {
  return Object.entries(objectOrEmpty(value)).filter(([name]) => acceptsField(name))
}

/** Serializes a form. Fields without a style of their own: arrays repeat the name, objects are JSON. */
function serializeForm(
  entries: readonly [string, unknown][],
  { encoding, fields }: PlannedBody,
  { acceptsField, acceptsMember }: FormNames,
): string {
  const texts = entries.map(([name, field]) => {
    const { style, explode, allowReserved } = objectOrEmpty(encoding[name])
    const hasStyle = style !== undefined || explode !== undefined
    const plain = isObject(field) && !hasStyle ? JSON.stringify(field) : field
    return serializeQueryValue({
      name,
      value: plain,
      style: textOrNothing(style) ?? 'form',
      explode: typeof explode === 'boolean' ? explode : style === undefined || style === 'form' || style === 'deepObject',
      allowReserved: allowReserved === true,
      acceptsMember: (member) => acceptsField(member) && acceptsMember(member) && (member === name || !fields.has(member)),
    })
  })
  return texts
    .filter((text) => text !== '')
    .join('&')
    .replaceAll('%20', '+')
}
