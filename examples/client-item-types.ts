/** A client that is typed by the prompts and resources of a server. */
import { createServer } from 'portcall'
import { connect } from 'portcall/client'
import * as z from 'zod'

export const server = createServer({ name: 'notes', version: '1.0.0' })
  .prompt('summarize', { arguments: z.object({ author: z.string() }) }, ({ author }) => `Summarize the notes of ${author}.`)
  .resource('notes://all', { mimeType: 'text/plain' }, () => 'Everything')
  .resource('notes://by/{author}', { mimeType: 'text/plain' }, ({ author }) => `Notes of ${author}`)

export async function read(url: string, author: string): Promise<unknown[]> {
  const client = await connect<typeof server>(url)
  const { messages } = await client.getPrompt('summarize', { author })
  const { contents } = await client.readResource(`notes://by/${author}`)
  await client.close()
  return [...messages, ...contents]
}
