import { anthropicTools } from 'portcall/anthropic'
import type { Client } from 'portcall/client'
import { openaiTools } from 'portcall/openai'
import { expect } from 'vitest'
import { refusedByAll, refusedByOpenai, type SentTool } from './provider-rules.ts'

/** Expects that model APIs accept the tools of a server. Returns how many there are, and how many are left out, with a reason each. */
export async function checkAdapters(client: Client): Promise<{ sent: number; leftOut: string[] }> {
  const leftOut: string[] = []
  const onUnsupported = ({ name }: { name: string }, reason: string): void => void leftOut.push(`${name}: ${reason}`)
  const openai = (await openaiTools(client, { onUnsupported })).map(
    ({ function: { name, parameters, strict } }): SentTool => ({ name, schema: parameters, strict }),
  )
  const anthropic = (await anthropicTools(client, { onUnsupported: () => {} })).map(
    ({ name, input_schema }): SentTool => ({ name, schema: input_schema as SentTool['schema'] }),
  )
  const refused = [
    ...openai.flatMap((tool) => [...refusedByAll(tool), ...refusedByOpenai(tool)].map((fault) => `openai ${tool.name} ${fault}`)),
    ...anthropic.flatMap((tool) => refusedByAll(tool).map((fault) => `anthropic ${tool.name} ${fault}`)),
  ]
  expect(refused).toEqual([])
  expect(anthropic).toHaveLength(openai.length)
  expect(new Set(openai.map(({ name }) => name)).size).toBe(openai.length)
  return { sent: openai.length, leftOut }
}
