/** Plans the body of requests as the argument `body`, and serializes it. */
import { isObject, type JsonObject } from '../../entrypoints/jsonrpc.ts'
import type { ApiDocument } from '../document/document.ts'
import { objectOrEmpty, textOrNothing } from '../document/json.ts'
import type { SchemaConverter } from '../schemas/definitions.ts'
import { shorten } from '../schemas/keywords.ts'
import { type FileArgument, fileBlob, fileSchema, isFileArgument } from './files.ts'
import { formFields } from './form-fields.ts'
import { serializeQueryValue, toText } from './styles.ts'

/** How the argument becomes a body. */
export type BodyKind = 'json' | 'form' | 'multipart' | 'text' | 'binary'

/** The body of an operation, and the argument that provides it. */
export interface PlannedBody {
  /** The name of the argument. */
  readonly argument: string
  readonly required: boolean
  readonly mediaType: string
  readonly kind: BodyKind
  /** The JSON Schema of the argument. */
  readonly schema: JsonObject
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
}

/** Tells the kinds of media types apart, in order of preference. */
const KINDS: readonly (readonly [BodyKind, RegExp])[] = [
  ['json', /^application\/json\b/i],
  ['json', /[/+]json\b|^\*\/\*/i],
  ['form', /^application\/x-www-form-urlencoded/i],
  ['multipart', /^multipart\//i],
  ['text', /^text\/|[/+](xml|yaml|x-yaml|graphql|javascript|x-ndjson|jsonl)\b/i],
  ['binary', /./],
]

/** Plans the body of an operation, or returns `undefined` if it has none. */
export function planBody(source: unknown, options: BodyPlanOptions): PlannedBody | undefined {
  const body = options.document.follow(source)
  const content = Object.entries(objectOrEmpty(body.content))
  const [mediaType, media] = chooseMediaType(content, options.preferred) ?? []
  if (mediaType === undefined) return undefined
  const kind = kindOf(mediaType)
  const { schema, encoding } = options.document.follow(media)
  const planned = bodySchema(kind, schema, options)
  const description = textOrNothing(body.description)
  return {
    argument: options.nameArgument('body', 'request'),
    required: body.required === true,
    mediaType: mediaType === '*/*' ? 'application/json' : mediaType,
    kind,
    schema: description && planned.description === undefined ? { ...planned, description: shorten(description) } : planned,
    encoding: objectOrEmpty(encoding),
    fields: new Set(Object.keys(formFields(schema, options.document).properties)),
  }
}

function chooseMediaType(content: readonly [string, unknown][], preferred: string | undefined): [string, unknown] | undefined {
  const wanted = content.find(([type]) => type === preferred)
  if (wanted) return wanted
  return KINDS.flatMap(([, pattern]) => content.filter(([type]) => pattern.test(type)))[0]
}

function kindOf(mediaType: string): BodyKind {
  return KINDS.find(([, pattern]) => pattern.test(mediaType))?.[0] ?? 'binary'
}

function bodySchema(kind: BodyKind, schema: unknown, { document, schemas }: BodyPlanOptions): JsonObject {
  if (kind === 'binary') return fileSchema()
  if (kind === 'multipart') return multipartSchema(schema, { document, schemas })
  const converted = objectOrEmpty(schemas.convert(schema))
  return kind === 'text' ? { ...converted, type: 'string' } : converted
}

/** Returns the schema of a multipart form: its fields, with files as objects. */
function multipartSchema(schema: unknown, { document, schemas }: Pick<BodyPlanOptions, 'document' | 'schemas'>): JsonObject {
  const { properties, required } = formFields(schema, document)
  const fields = Object.entries(properties).filter(([, field]) => document.follow(field).readOnly !== true)
  const isList = (field: JsonObject): boolean => field.type === 'array' && isFile(document.follow(field.items))
  const convert = (source: unknown): unknown => {
    const field = document.follow(source)
    const description = textOrNothing(field.description)
    if (isFile(field)) return fileSchema(description)
    return isList(field) ? { type: 'array', items: fileSchema(), ...(description && { description }) } : schemas.convert(source)
  }
  const names = new Set(fields.map(([name]) => name))
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, field]) => [name, convert(field)])),
    ...(required.some((name) => names.has(name)) && { required: required.filter((name) => names.has(name)) }),
  }
}

function isFile({ type, format, contentMediaType, contentEncoding }: JsonObject): boolean {
  if (type === 'file') return true
  if (type !== undefined && type !== 'string') return false
  if (format === 'binary' || format === 'base64' || format === 'byte' || contentEncoding !== undefined) return true
  return typeof contentMediaType === 'string' && !/^text\/|json/.test(contentMediaType)
}

/** A serialized body, and the headers that describe it. */
export interface SerializedBody {
  readonly content: string | Blob | FormData
  /** Absent for multipart forms: their media type contains a boundary that `fetch` chooses. */
  readonly mediaType: string | undefined
}

/** Decides which names of a form are sent. */
export interface FormNames {
  /** Reports whether the form may have a field of this name. */
  acceptsField(name: string): boolean
  /** Reports whether a member of an exploded object may become a field. */
  acceptsMember(name: string): boolean
}

/** Serializes the value of the argument. Fields of forms whose names are not accepted are left out. */
export function serializeBody(body: PlannedBody, value: unknown, names: FormNames): SerializedBody {
  const { kind, mediaType, encoding } = body
  if (kind === 'json') return { content: JSON.stringify(value), mediaType }
  if (kind === 'form') return { content: serializeForm(acceptedFields(value, names), body, names), mediaType }
  if (kind === 'multipart') return { content: toFormData(acceptedFields(value, names), encoding), mediaType: undefined }
  if (kind === 'text') return { content: toText(value), mediaType }
  const file = isFileArgument(value) ? value : { text: toText(value) }
  const content = fileBlob(file, mediaType.includes('*') ? 'application/octet-stream' : mediaType)
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

function toFormData(entries: readonly [string, unknown][], encoding: JsonObject): FormData {
  const form = new FormData()
  for (const [name, field] of entries) {
    const { contentType } = objectOrEmpty(encoding[name])
    const type = textOrNothing(contentType)?.split(',')[0]?.trim()
    for (const item of Array.isArray(field) ? field : [field]) appendField(form, { name, item, type })
  }
  return form
}

interface FormField {
  readonly name: string
  readonly item: unknown
  readonly type: string | undefined
}

function appendField(form: FormData, { name, item, type }: FormField): void {
  if (isFileArgument(item)) appendFile(form, name, { ...(type && !type.includes('*') && { contentType: type }), ...item })
  else if (isObject(item)) form.append(name, new Blob([JSON.stringify(item)], { type: type ?? 'application/json' }))
  else if (type) form.append(name, new Blob([toText(item)], { type }))
  else form.append(name, toText(item))
}

function appendFile(form: FormData, name: string, file: FileArgument): void {
  form.append(name, fileBlob(file, 'application/octet-stream'), file.filename ?? name)
}
