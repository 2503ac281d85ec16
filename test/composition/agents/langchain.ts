import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { type AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages'
import { type StructuredToolInterface, tool } from '@langchain/core/tools'
import type { Client } from 'portcall/client'
import { langchainTools } from 'portcall/langchain'

/** An agent of LangChain: it calls tools until the model answers. */
export async function runAgent(client: Client, model: BaseChatModel) {
  const tools = (await langchainTools(client, { tool })) as StructuredToolInterface[]
  const withTools = model.bindTools?.(tools) ?? model
  const messages: BaseMessage[] = [new HumanMessage('Close the tickets about lamps.')]
  for (;;) {
    const reply = (await withTools.invoke(messages)) as AIMessage
    messages.push(reply)
    if (!reply.tool_calls?.length) return reply.text
    for (const call of reply.tool_calls) {
      const found = tools.find(({ name }) => name === call.name)
      messages.push(await found?.invoke({ ...call, type: 'tool_call' }))
    }
  }
}
