/** A protocol extension: a tool may answer with a poll that every client can vote in. */
import { createServer, defineServerExtension } from 'portcall'
import * as z from 'zod'

export const ID = 'com.example/polls'

// #region extras
declare module 'portcall' {
  interface ToolDefinitionExtensions {
    /** The poll that decides what the tool answers, for clients that can vote. */
    poll?: string
  }
}
// #endregion

// #region extension
export const polls = defineServerExtension({
  id: ID,
  name: 'polls',
  setup(host) {
    const votes = new Map<string, number>()
    const params = z.object({ poll: z.string().max(64) })

    host.method('polls/vote', { params, nameParam: 'poll' }, ({ poll }) => {
      const count = (votes.get(poll) ?? 0) + 1
      votes.set(poll, count)
      host.publish({ key: 'polls', subject: poll, method: 'notifications/polls', params: { poll, count } })
      return { count }
    })

    host.handleSubscriptionFilter('polls', (asked) =>
      Array.isArray(asked) ? asked.filter((poll) => typeof poll === 'string') : undefined,
    )

    host.useToolMiddleware((call, tool, next) => {
      const { poll } = tool.definition
      return poll !== undefined && host.capabilityOf(call) ? { resultType: 'poll', poll } : next()
    })

    return { count: (poll: string) => votes.get(poll) ?? 0 }
  },
})
// #endregion

// #region server
export function createPollServer() {
  const server = createServer({ name: 'polls', version: '1.0.0' }, { extensions: [polls] })
  server.tool(
    'lunch',
    { description: 'Returns what is for lunch', poll: 'soup' },
    () => `Soup, by ${server.polls.count('soup')} votes`,
  )
  return server
}
// #endregion
