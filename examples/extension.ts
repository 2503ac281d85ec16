/** An extension of the protocol: polls, which a tool may answer with, and everybody may vote in. */
import { createServer, extension } from 'portcall'
import * as z from 'zod'

export const ID = 'com.example/polls'

// #region extras
declare module 'portcall' {
  interface ToolExtras {
    /** The poll that decides what the tool answers, for clients that can vote. */
    poll?: string
  }
}
// #endregion

// #region extension
export const polls = extension({
  id: ID,
  name: 'polls',
  serve(host) {
    const votes = new Map<string, number>()
    const params = z.object({ poll: z.string().max(64) })

    host.method('polls/vote', { params, nameParam: 'poll' }, ({ poll }) => {
      const count = (votes.get(poll) ?? 0) + 1
      votes.set(poll, count)
      host.publish({ key: 'polls', subject: poll, method: 'notifications/polls', params: { poll, count } })
      return { count }
    })

    host.listen('polls', (asked) => (Array.isArray(asked) ? asked.filter((poll) => typeof poll === 'string') : undefined))

    host.aroundTool((call, tool, next) => {
      const { poll } = tool.definition
      return poll !== undefined && host.declaredBy(call) ? { resultType: 'poll', poll } : next()
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
    { description: 'Says what is for lunch', poll: 'soup' },
    () => `Soup, by ${server.polls.count('soup')} votes`,
  )
  return server
}
// #endregion
