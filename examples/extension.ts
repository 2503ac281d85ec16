import { createServer, defineServerExtension } from 'portcall'
import * as z from 'zod'

export const ID = 'com.example/polls'

declare module 'portcall' {
  interface ToolDefinitionExtensions {
    /** The poll whose winner the tool returns, for clients that can vote. */
    poll?: string
  }
}

export const polls = defineServerExtension({
  id: ID,
  name: 'polls',
  setup(context) {
    const votes = new Map<string, number>()
    const params = z.object({ poll: z.string().max(64) })

    context.method('polls/vote', { params, nameParam: 'poll' }, ({ poll }) => {
      const count = (votes.get(poll) ?? 0) + 1
      votes.set(poll, count)
      context.publish({ key: 'polls', subject: poll, method: 'notifications/polls', params: { poll, count } })
      return { count }
    })

    context.handleSubscriptionFilter('polls', (requested) =>
      Array.isArray(requested) ? requested.filter((poll) => typeof poll === 'string') : undefined,
    )

    context.useToolMiddleware((call, tool, next) => {
      const { poll } = tool.definition
      return poll !== undefined && context.capabilityOf(call) ? { resultType: 'poll', poll } : next()
    })

    return { count: (poll: string) => votes.get(poll) ?? 0 }
  },
})

export function createPollServer() {
  const server = createServer({ name: 'polls', version: '1.0.0' }, { extensions: [polls] })
  server.tool(
    'lunch',
    { description: 'Get the lunch of the day', poll: 'soup' },
    () => `Soup, by ${server.polls.count('soup')} votes`,
  )
  return server
}
