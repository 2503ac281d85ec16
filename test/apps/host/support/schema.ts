/** The published schema of messages. */
import { readFile } from 'node:fs/promises'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { AppEvent } from 'portcall/apps/host'

const SCHEMA = new URL('../../node_modules/@modelcontextprotocol/ext-apps/dist/src/generated/schema.json', import.meta.url)

/** A definition that the published file refers to and does not have: any JSON. */
const MISSING = { __schema0: {} }

interface Definition {
  readonly properties?: { readonly method?: { readonly const?: string } }
}

/** The published schema demands closed objects for height and for width, of the same object: nothing but `{}` would satisfy it. */
function openDimensions(value: unknown, isBelow = false): void {
  if (typeof value !== 'object' || value === null) return
  if (isBelow && 'additionalProperties' in value) value.additionalProperties = true
  for (const [name, member] of Object.entries(value)) openDimensions(member, isBelow || name === 'containerDimensions')
}

/** Creates a function that returns the faults of the messages of a view, in both directions. */
export async function messageChecker(): Promise<(events: readonly AppEvent[]) => { faults: string[]; methods: Set<string> }> {
  const schema = JSON.parse(await readFile(SCHEMA, 'utf8')) as { $defs: { [name: string]: Definition } }
  openDimensions(schema)
  const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema({
    ...schema,
    $defs: { ...schema.$defs, ...MISSING },
    $id: 'apps',
  })
  const messages = new Map(
    Object.entries(schema.$defs).flatMap(([name, { properties }]) => {
      const method = properties?.method?.const
      return method === undefined ? [] : [[method, name] as const]
    }),
  )
  const fault = (name: string, value: unknown): string[] => {
    const validate = ajv.compile({ $ref: `apps#/$defs/${name}` })
    return validate(value) ? [] : [`${name}: ${ajv.errorsText(validate.errors)}`]
  }
  return (events) => {
    const sent = new Map<unknown, string>()
    const faults: string[] = []
    const methods = new Set<string>()
    for (const event of events) {
      if (event.type !== 'message') continue
      const { from, message } = event
      if ('method' in message) {
        methods.add(message.method)
        const name = messages.get(message.method)
        if (name) faults.push(...fault(name, { method: message.method, params: message.params }))
        if ('id' in message) sent.set(`${from} ${message.id}`, message.method)
      } else if ('result' in message) {
        const request = sent.get(`${from === 'view' ? 'host' : 'view'} ${message.id}`)
        const name = messages.get(request ?? '')?.replace(/Request$/, 'Result')
        if (name && Object.hasOwn(schema.$defs, name)) faults.push(...fault(name, message.result))
      }
    }
    return { faults, methods }
  }
}
