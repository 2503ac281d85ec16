/** A client of a stdio server. */
import { connect } from 'portcall/client'

/** Starts a program, and restarts it on demand after it exits. */
export async function greet(command: string, args: string[]): Promise<unknown> {
  const client = await connect({ command, args, env: { GREETING: 'Hello' } }, { restart: true, onStderr: console.error })
  const { content } = await client.callTool('greet', { name: 'Ada' })
  await client.close()
  return content
}
