/** Plans and serializes multipart forms. A part is a file where the description says so, whatever its value looks like (RFC 7578, section 4.2). */

import { essence } from '../../../../util/src/media-type.ts'
import { readParts } from '../../../../util/src/parts.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import type { ApiDocument } from '../document/document.ts'
import { arrayOrEmpty, objectOrEmpty, textOrNothing } from '../document/json.ts'
import type { SchemaConverter } from '../schemas/definitions.ts'
import { type FormFields, formFields } from '../schemas/form-fields.ts'
import { fileBlob, fileSchema, isFileArgument } from './files.ts'
import { isFileType, isRange } from './media-types.ts'
import { toText } from './styles.ts'

/** The objects among the values of a field: none is a file, all are, or those that have the form of a file. */
type FileUse = 'never' | 'always' | 'by form'

/** A field of a form. */
export interface PlannedField {
  readonly files: FileUse
  /** The media type of its parts, if the description names one. */
  readonly contentType: string | undefined
}

/** A form. */
export interface PlannedForm {
  /** The JSON Schema of the argument. */
  readonly schema: JsonObject
  readonly fields: ReadonlyMap<string, PlannedField>
  /** How fields that are not declared are sent. */
  readonly others: PlannedField
}

export interface FormPlanOptions {
  readonly document: ApiDocument
  readonly schemas: SchemaConverter
  /** The encoding objects by the names of the fields. */
  readonly encoding: JsonObject
  /** Receives what the description says and the tool does not do. */
  readonly report: (problem: string) => void
}

/** The name of the only field of a form that is described as one file. */
const ONLY_FIELD = 'file'

const MAX_DEPTH = 8

/** Plans a multipart form from the schema of its body. */
export function planForm(schema: unknown, options: FormPlanOptions): PlannedForm {
  const { document, encoding } = options
  const { properties, required } = fieldsOf(schema, options)
  const entries = Object.entries(properties).filter(([, field]) => document.follow(field).readOnly !== true)
  const names = new Set(entries.map(([name]) => name))
  const { additionalProperties: rest } = document.follow(schema)
  const typeOf = (name: string): string | undefined => textOrNothing(objectOrEmpty(encoding[name]).contentType)
  const planField = (field: unknown, contentType?: string): PlannedField => {
    const { hasFiles, hasObjects } = contentOf({ schema: field, contentType }, document)
    const type = contentType?.split(',')[0]?.trim()
    return {
      files: !hasFiles ? 'never' : hasObjects ? 'by form' : 'always',
      contentType: type === undefined || isRange(type) ? undefined : type,
    }
  }
  const describesRest = isObject(rest) && Object.keys(rest).length > 0
  const needed = required.filter((name) => names.has(name))
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(
        entries.map(([name, field]) => [name, convertField({ schema: field, contentType: typeOf(name) }, options)]),
      ),
      ...(describesRest && { additionalProperties: convertField({ schema: rest, contentType: undefined }, options) }),
      ...(needed.length > 0 && { required: needed }),
    },
    fields: new Map(entries.map(([name, field]) => [name, planField(field, typeOf(name))])),
    others: describesRest ? planField(rest) : { files: 'by form', contentType: undefined },
  }
}

/** Returns the fields of a form. Some descriptions have the schema of a file, or of a list, in place of an object with fields. */
function fieldsOf(schema: unknown, { document, report }: FormPlanOptions): Pick<FormFields, 'properties' | 'required'> {
  const source = document.follow(schema)
  const types = typesOf(source)
  if (types.length === 0 || types.includes('object')) return formFields(schema, document)
  const { hasFiles } = contentOf({ schema, contentType: undefined }, document)
  const problem = `the form has the type ${types.join(' or ')}, so its fields have no names`
  report(hasFiles ? `${problem}; it is sent as the field "${ONLY_FIELD}"` : `${problem}; the caller names them`)
  return hasFiles ? { properties: { [ONLY_FIELD]: schema }, required: [ONLY_FIELD] } : { properties: {}, required: [] }
}

/** The schema of a field, and the media type that its encoding object names. */
interface FieldSource {
  readonly schema: unknown
  readonly contentType: string | undefined
}

interface FieldContent {
  readonly hasFiles: boolean
  readonly hasObjects: boolean
}

/** Finds out which objects the values of a field may be: files, others, or both. */
function contentOf({ schema, contentType }: FieldSource, document: ApiDocument): FieldContent {
  return readParts<JsonObject, FieldContent>(document.follow(schema), MAX_DEPTH, (source, readPart) => {
    if (isFile(source, contentType)) return { hasFiles: true, hasObjects: false }
    const inner = [...arrayOrEmpty(source.allOf), ...branchesOf(source), ...(source.items === undefined ? [] : [source.items])]
    const found = readPart ? inner.map((part) => readPart(document.follow(part))) : []
    const isAny = source.type === undefined && inner.length === 0 && source.enum === undefined && source.const === undefined
    return {
      hasFiles: found.some(({ hasFiles }) => hasFiles),
      hasObjects: typesOf(source).includes('object') || isAny || found.some(({ hasObjects }) => hasObjects),
    }
  })
}

/** Converts the schema of a field, with files as objects. */
function convertField(field: FieldSource, options: FormPlanOptions): unknown {
  const { document, schemas } = options
  if (!contentOf(field, document).hasFiles) return schemas.convert(field.schema)
  const { contentType } = field
  const source = document.follow(field.schema)
  const description = textOrNothing(source.description)
  const isFilePart = (part: unknown): boolean => contentOf({ schema: part, contentType }, document).hasFiles
  const file = isFile(source, contentType) || arrayOrEmpty(source.allOf).some(isFilePart) ? fileSchema(description) : undefined
  const branches = branchesOf(source).map((branch) => convertField({ schema: branch, contentType }, options))
  const converted = file ?? {
    ...(description && { description }),
    ...(branches.length > 0
      ? { anyOf: branches }
      : { type: 'array', items: convertField({ schema: source.items, contentType }, options) }),
  }
  const isNullable = source.nullable === true || (Array.isArray(source.type) && source.type.includes('null'))
  return isNullable ? { ...(description && { description }), anyOf: [converted, { type: 'null' }] } : converted
}

function branchesOf({ anyOf, oneOf }: JsonObject): unknown[] {
  return [...arrayOrEmpty(anyOf), ...arrayOrEmpty(oneOf)]
}

function typesOf({ type }: JsonObject): unknown[] {
  return [type].flat().filter((one) => one !== 'null' && one !== undefined)
}

/** Reports whether a schema is that of a file. `encodedType` is the media type that an encoding object names. */
export function isFile(schema: JsonObject, encodedType?: string): boolean {
  const { format, contentMediaType, contentEncoding } = schema
  const types = typesOf(schema)
  if (types.includes('file')) return true
  if (types.some((type) => type !== 'string')) return false
  if (format === 'binary' || format === 'base64' || format === 'byte' || contentEncoding !== undefined) return true
  if (contentMediaType !== undefined) return isFileType(contentMediaType)
  const isPlain = ['anyOf', 'oneOf', 'allOf', 'enum', 'const', 'properties'].every((keyword) => !Object.hasOwn(schema, keyword))
  return isPlain && isFileType(encodedType)
}

/** A serialized form. */
export interface SerializedForm {
  readonly content: Blob
  /** The media type with the boundary. */
  readonly mediaType: string
}

/** Serializes the fields of a form. Null has no form of its own: such fields are left out. @throws ToolError when a file has no content. */
export function serializeMultipart(
  entries: readonly (readonly [string, unknown])[],
  { fields, others }: PlannedForm,
  mediaType: string,
): SerializedForm {
  const boundary = `form-${crypto.randomUUID()}`
  const parts = entries.flatMap(([name, value]) => {
    const items: unknown[] = (Array.isArray(value) ? value : [value]).filter((item) => item !== null && item !== undefined)
    return items.map((item) => toPart(name, item, fields.get(name) ?? others))
  })
  const content = parts.flatMap(({ head, body }) => [`--${boundary}\r\n${head.join('\r\n')}\r\n\r\n`, body, '\r\n'])
  return {
    content: new Blob([...content, `--${boundary}--\r\n`]),
    mediaType: `${essence(mediaType)}; boundary=${boundary}`,
  }
}

interface FormPart {
  readonly head: readonly string[]
  readonly body: string | Blob
}

function toPart(name: string, item: unknown, { files, contentType }: PlannedField): FormPart {
  const disposition = `Content-Disposition: form-data; name="${escapeName(name)}"`
  if (isObject(item) && (files === 'always' || (files === 'by form' && isFileArgument(item)))) {
    const blob = fileBlob(item, contentType ?? 'application/octet-stream')
    const filename = typeof item.filename === 'string' ? item.filename : name
    return { head: [`${disposition}; filename="${escapeName(filename)}"`, `Content-Type: ${blob.type}`], body: blob }
  }
  const type = contentType ?? (typeof item === 'object' ? 'application/json' : undefined)
  return {
    head: [disposition, ...(type === undefined ? [] : [`Content-Type: ${type.replaceAll(/[\r\n]/g, '')}`])],
    body: toText(item),
  }
}

/** Escapes a name as browsers do. https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#multipart-form-data */
function escapeName(name: string): string {
  return name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22')
}
