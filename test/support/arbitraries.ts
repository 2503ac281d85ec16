/** fast-check arbitraries for values of the newest revision that the library may have to send to an older peer. */
import * as fc from 'fast-check'

const word = fc.constantFrom('a', 'note', 'read me', 'größe', 'x_1', 'constructor', '')
const uri = fc.constantFrom('file:///a.txt', 'notes://1', 'https://example.com/x?y=1', 'urn:a:b')
const base64 = fc.uint8Array({ maxLength: 6 }).map((bytes) => Buffer.from(bytes).toString('base64'))
const icon = fc.record(
  { src: uri, mimeType: word, sizes: fc.array(word, { maxLength: 2 }), theme: fc.constantFrom('light', 'dark') },
  { requiredKeys: ['src'] },
)
const icons = fc.array(icon, { maxLength: 2 })
const meta = fc.dictionary(fc.constantFrom('example.com/a', 'traceparent', 'k'), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2 })

/** `_meta` of a result: the server info and other members. */
export const resultMeta: fc.Arbitrary<object> = fc
  .tuple(meta, fc.boolean())
  .map(([other, known]) => (known ? { ...other, 'io.modelcontextprotocol/serverInfo': { name: 's', version: '1' } } : other))

const annotations = fc.record(
  {
    audience: fc.subarray(['user', 'assistant'] as const),
    priority: fc.double({ min: 0, max: 1, noNaN: true }),
    lastModified: fc.constant('2025-01-12T15:00:58Z'),
  },
  { requiredKeys: [] },
)
const block = { annotations, _meta: meta }

const contents = fc.oneof(
  fc.record({ uri, mimeType: word, text: word, _meta: meta }, { requiredKeys: ['uri', 'text'] }),
  fc.record({ uri, mimeType: word, blob: base64, _meta: meta }, { requiredKeys: ['uri', 'blob'] }),
)
const described = { name: word, title: word, description: word, mimeType: word, annotations, icons, _meta: meta }
const resource = { uri, size: fc.nat(), ...described }
const media = { data: base64, mimeType: fc.constantFrom('audio/wav', 'image/png'), ...block }
const MEDIA = { requiredKeys: ['type', 'data', 'mimeType'] as ('type' | 'data' | 'mimeType')[] }

const text = fc.record({ type: fc.constant('text'), text: word, ...block }, { requiredKeys: ['type', 'text'] })
const image = fc.record({ type: fc.constant('image'), ...media }, MEDIA)
const audio = fc.record({ type: fc.constant('audio'), ...media }, MEDIA)
const embedded = fc.record(
  { type: fc.constant('resource'), resource: contents, ...block },
  { requiredKeys: ['type', 'resource'] },
)
const link = fc.record({ type: fc.constant('resource_link'), ...resource }, { requiredKeys: ['type', 'uri', 'name'] })
const unknown = fc.record({ type: fc.constant('hologram'), data: fc.jsonValue({ maxDepth: 1 }) })

/** A content block of any kind, including one that no revision defines. */
export const contentBlock: fc.Arbitrary<object> = fc.oneof(text, image, audio, embedded, link, unknown)

const implementation = fc.record(
  { name: word, version: word, title: word, description: word, websiteUrl: fc.constant('https://example.com'), icons },
  { requiredKeys: ['name', 'version'] },
)

/** The info of a server. */
export const serverInfo: fc.Arbitrary<{ name: string; version: string }> = implementation

const complete = { resultType: fc.constant('complete'), _meta: resultMeta }
const cached = { ...complete, ttlMs: fc.nat(), cacheScope: fc.constantFrom('public', 'private') }
const DONE = ['resultType'] as const

const toolResult = fc.record(
  {
    ...complete,
    content: fc.array(contentBlock, { maxLength: 4 }),
    structuredContent: fc.jsonValue({ maxDepth: 3 }),
    isError: fc.boolean(),
  },
  { requiredKeys: [...DONE, 'content'] },
)

const property = fc.oneof(fc.boolean(), fc.constant({}), fc.record({ type: fc.constantFrom('string', 'integer', 'object') }))
const properties = fc.dictionary(word, property, { maxKeys: 3 })

/** An output schema with any root. */
export const anySchema: fc.Arbitrary<{ [key: string]: unknown }> = fc.oneof(
  fc.record({ type: fc.constant('object'), properties }),
  fc.record({ type: fc.constantFrom('string', 'array', 'null', ['object', 'null'], ['object'], ['string', 'number']) }),
  fc.record({ properties, required: fc.array(word, { maxLength: 1 }) }),
  fc.record({
    anyOf: fc.array(fc.record({ type: fc.constantFrom('object', 'string'), properties }), { minLength: 1, maxLength: 2 }),
  }),
  fc.constant({ $ref: '#/$defs/Node', $defs: { Node: { type: 'array', items: { $ref: '#/$defs/Node' } } } }),
  fc.constant({ $ref: '#/$defs/Node', $defs: { Node: { type: 'object', properties: { next: { $ref: '#' } } } } }),
  fc.constant({}),
)

const tool = fc.record(
  {
    name: word,
    title: word,
    description: word,
    inputSchema: fc.record(
      { type: fc.constant('object'), properties, required: fc.array(word, { maxLength: 1 }) },
      { requiredKeys: ['type'] },
    ),
    outputSchema: anySchema,
    annotations: fc.record({ title: word, readOnlyHint: fc.boolean(), openWorldHint: fc.boolean() }, { requiredKeys: [] }),
    icons,
    _meta: meta,
  },
  { requiredKeys: ['name', 'inputSchema'] },
)
const argument = fc.record({ name: word, title: word, description: word, required: fc.boolean() }, { requiredKeys: ['name'] })
const prompt = fc.record(
  { name: word, title: word, description: word, arguments: fc.array(argument, { maxLength: 2 }), icons, _meta: meta },
  { requiredKeys: ['name'] },
)
const { uri: _uri, size: _size, ...templateFields } = resource
const template = fc.record(
  { uriTemplate: fc.constantFrom('notes://{id}', 'file:///{+path}'), ...templateFields },
  { requiredKeys: ['uriTemplate', 'name'] },
)
const message = fc.record({ role: fc.constantFrom('user', 'assistant'), content: contentBlock })

function list(key: string, item: fc.Arbitrary<object>, paged: object = { nextCursor: fc.constant('abc') }): fc.Arbitrary<object> {
  const fields: { [field: string]: fc.Arbitrary<unknown> } = { ...cached, ...paged, [key]: fc.array(item, { maxLength: 3 }) }
  return fc.record(fields, { requiredKeys: [...DONE, 'ttlMs', 'cacheScope', key] })
}

/** Complete results of the newest revision, by method. */
export const coreResults: { readonly [method: string]: fc.Arbitrary<object> } = {
  'tools/call': toolResult,
  'tools/list': list('tools', tool),
  'resources/list': list('resources', fc.record(resource, { requiredKeys: ['uri', 'name'] })),
  'resources/templates/list': list('resourceTemplates', template),
  'resources/read': list('contents', contents, {}),
  'prompts/list': list('prompts', prompt),
  'prompts/get': fc.record(
    { ...complete, description: word, messages: fc.array(message, { maxLength: 3 }) },
    { requiredKeys: [...DONE, 'messages'] },
  ),
  'completion/complete': fc.record(
    {
      ...complete,
      completion: fc.record(
        { values: fc.array(word, { maxLength: 3 }), total: fc.nat(), hasMore: fc.boolean() },
        { requiredKeys: ['values'] },
      ),
    },
    { requiredKeys: [...DONE, 'completion'] },
  ),
}

const labels = { title: word, description: word }
const TYPE = { requiredKeys: ['type'] as 'type'[] }
const OPTIONS = ['red', 'green', 'blue']
const options = fc.subarray(OPTIONS, { minLength: 1 })
const titled = options.map((values) => values.map((value) => ({ const: value, title: value.toUpperCase() })))
const count = fc.nat({ max: 3 })

/** One field of a form, of every kind. */
export const formField: fc.Arbitrary<object> = fc.oneof(
  fc.record(
    {
      type: fc.constant('string'),
      ...labels,
      minLength: count,
      maxLength: count,
      format: fc.constantFrom('email', 'uri', 'date', 'date-time', 'uuid'),
      pattern: word,
      default: word,
    },
    TYPE,
  ),
  fc.record(
    {
      type: fc.constantFrom('number', 'integer'),
      ...labels,
      minimum: count,
      maximum: count,
      exclusiveMinimum: count,
      default: count,
    },
    TYPE,
  ),
  fc.record({ type: fc.constant('boolean'), ...labels, default: fc.boolean() }, TYPE),
  fc.record(
    { type: fc.constant('string'), ...labels, enum: options, default: fc.constant('red') },
    { requiredKeys: ['type', 'enum'] },
  ),
  fc.record({ type: fc.constant('string'), ...labels, enum: options, enumNames: options }, { requiredKeys: ['type', 'enum'] }),
  fc.record(
    { type: fc.constant('string'), ...labels, oneOf: titled, default: fc.constant('red') },
    { requiredKeys: ['type', 'oneOf'] },
  ),
  fc.record(
    {
      type: fc.constant('array'),
      ...labels,
      items: fc.record({ type: fc.constant('string'), enum: options }),
      minItems: count,
      default: options,
    },
    { requiredKeys: ['type', 'items'] },
  ),
  fc.record(
    { type: fc.constant('array'), ...labels, items: fc.record({ anyOf: titled }), maxItems: count, default: options },
    { requiredKeys: ['type', 'items'] },
  ),
)

/** The schema of a form. */
export const formSchema: fc.Arbitrary<{ properties: { [name: string]: object } }> = fc
  .tuple(fc.dictionary(fc.constantFrom('name', 'age', 'colors', 'colors.red', 'ok'), formField, { maxKeys: 4 }), fc.boolean())
  .map(([fields, required]) => ({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: fields,
    ...(required && { required: Object.keys(fields) }),
    additionalProperties: false,
  }))

const toolUse = fc.record(
  { type: fc.constant('tool_use'), id: word, name: word, input: fc.constant({ a: 1 }), _meta: meta },
  { requiredKeys: ['type', 'id', 'name', 'input'] },
)
const toolReply = fc.record(
  {
    type: fc.constant('tool_result'),
    toolUseId: word,
    content: fc.array(contentBlock, { maxLength: 2 }),
    structuredContent: fc.jsonValue({ maxDepth: 1 }),
    isError: fc.boolean(),
  },
  { requiredKeys: ['type', 'toolUseId', 'content'] },
)
const samplingBlock = fc.oneof(text, image, audio, toolUse, toolReply)
const samplingMessage = fc.record(
  {
    role: fc.constantFrom('user', 'assistant'),
    content: fc.oneof(samplingBlock, fc.array(samplingBlock, { maxLength: 3 })),
    _meta: meta,
  },
  { requiredKeys: ['role', 'content'] },
)

/** The params of a sampling request. */
export const samplingParams: fc.Arbitrary<object> = fc.record(
  {
    messages: fc.array(samplingMessage, { maxLength: 3 }),
    maxTokens: fc.nat(),
    systemPrompt: word,
    modelPreferences: fc.record({ hints: fc.array(fc.record({ name: word }), { maxLength: 1 }), costPriority: fc.constant(0.5) }),
    includeContext: fc.constantFrom('none', 'thisServer', 'allServers'),
    temperature: fc.constant(0.7),
    stopSequences: fc.array(word, { maxLength: 2 }),
    metadata: fc.constant({ a: 1 }),
    tools: fc.array(tool, { maxLength: 2 }),
    toolChoice: fc.constant({ mode: 'auto' }),
  },
  { requiredKeys: ['messages', 'maxTokens'] },
)
