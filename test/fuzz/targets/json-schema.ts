/** JSON Schemas from a peer: each is compiled or refused, and each value is accepted or has issues, in a bounded time. */
import { compileSchema } from '../../../packages/portcall/src/schema/compile.ts'
import { SchemaError } from '../../../packages/portcall/src/schema/errors.ts'
import type { Schema } from '../../../packages/portcall/src/schema/standard.ts'
import { check } from './pieces.ts'

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export async function fuzz(data: Buffer): Promise<void> {
  const [first = '', second = 'null'] = data.toString().split('\n', 2)
  const schema = parse(first)
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return
  try {
    const compiled = compileSchema(schema as Schema, 'output', { trusted: false })
    const outcome = await compiled.parse(parse(second) ?? null)
    check('value' in outcome || (outcome.issues?.length ?? 0) > 0, 'a value is accepted or has issues')
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error
  }
}
