/** Calls of tools, and answers to the model. */
import type { JsonObject } from '../../../jsonrpc/message.ts'
import type { App } from '../../view/app.ts'
import { type StatusLine, textOfContent } from './status.ts'

/** A call of a tool by a button. */
export interface ToolCall {
  readonly app: App
  readonly status: StatusLine
  readonly tool: string
  readonly args: JsonObject
  /** The text if the tool returns none. */
  readonly done: string
}

/** Calls a tool, and shows its text. Resolves to the text, or to `undefined` if the tool has failed; the page then says why. */
export async function callTool({ app, status, tool, args, done }: ToolCall): Promise<string | undefined> {
  status.say('quiet', 'Sending …')
  try {
    const { isError, content } = await app.call(tool, args as never)
    const text = textOfContent(content)
    if (isError) {
      status.say('failed', text || 'The server could not do it')
      return undefined
    }
    status.say('done', done || text || 'Done')
    return text
  } catch (error) {
    status.say('failed', (error as Error).message)
    return undefined
  }
}

/** Tells the model what a person has done: with its next turn, as far as the host can. */
export async function tellModel(app: App, text: string): Promise<void> {
  // The person has what was asked for; a host that refuses this is no reason to say otherwise.
  if (app.capabilities.updateModelContext) await app.updateContext(text).catch(() => {})
}

/** Answers in the conversation, in the name of the person. Resolves to false if the host cannot. */
export async function answer(app: App, text: string): Promise<boolean> {
  if (app.capabilities.message) await app.message(text)
  else if (app.capabilities.updateModelContext) await app.updateContext(text)
  else return false
  return true
}
