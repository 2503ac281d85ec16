import { errorMessage } from '../../../../util/src/errors.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { readHeaderParams } from '../../protocol/header-params.ts'
import { walkSchemas } from '../../schema/walk.ts'
import type { GatewayKindInfo } from './item-kinds.ts'

const MAX_NAME_LENGTH = 4096
const MAX_DEPTH = 64

/** Returns why an item of a server's list cannot be offered, or `undefined` if it can. */
export function findItemFault({ kind, id }: GatewayKindInfo, item: JsonObject): string | undefined {
  const name = item[id]
  if (typeof name !== 'string' || name === '') return `its ${id} is not a string`
  if (name.length > MAX_NAME_LENGTH) return `its ${id} has more than ${MAX_NAME_LENGTH} characters`
  if (kind === 'event') return findEventFault(item)
  if (kind !== 'tool') return undefined
  return (
    findSchemaFault('inputSchema', item.inputSchema) ??
    findSchemaFault('outputSchema', item.outputSchema ?? {}) ??
    findHeaderFault(item.inputSchema)
  )
}

/** An event type that can be received neither by polls nor on a stream cannot be received through a gateway. */
function findEventFault({ delivery, inputSchema = {}, payloadSchema = {} }: JsonObject): string | undefined {
  if (!Array.isArray(delivery) || delivery.length === 0) return 'its events can be received neither by polls nor on a stream'
  return (
    findSchemaFault('inputSchema', { type: 'object', ...(isObject(inputSchema) ? inputSchema : {}) }) ??
    findSchemaFault('payloadSchema', payloadSchema)
  )
}

/** Clients over HTTP must not use a tool whose arguments cannot be repeated in headers as it demands. */
function findHeaderFault(inputSchema: unknown): string | undefined {
  try {
    if (isObject(inputSchema)) readHeaderParams(inputSchema)
    return undefined
  } catch (error) {
    return errorMessage(error)
  }
}

function findSchemaFault(member: string, schema: unknown): string | undefined {
  if (!isObject(schema)) return `its ${member} is not an object`
  if (member === 'inputSchema' && schema.type !== 'object') return 'the type of its inputSchema is not object'
  if (isDeeperThan(schema, MAX_DEPTH)) return `its ${member} is nested more than ${MAX_DEPTH} levels deep`
  let fault: string | undefined
  walkSchemas(schema, undefined, ({ $ref }) => {
    if ($ref !== undefined && (typeof $ref !== 'string' || isRemote($ref))) fault = `its ${member} refers to another document`
  })
  return fault
}

/** Reports whether a reference leaves its document. Clients must not fetch such documents. */
function isRemote(reference: string): boolean {
  return /^[a-z][a-z0-9+.-]*:|^\/\//i.test(reference) && !reference.startsWith('urn:')
}

function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth === 0 || Object.values(value).some((member) => isDeeperThan(member, depth - 1))
}
