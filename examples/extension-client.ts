/** The client side of the extension: it votes, receives votes, and resolves a poll to the result of a tool. */
import { type ConnectTarget, connect, defineClientExtension } from 'portcall/client'

const ID = 'com.example/polls'

// #region extension
export const polls = defineClientExtension({
  id: ID,
  name: 'polls',
  setup(host) {
    host.method('polls/vote', { nameParam: 'poll' })

    const vote = async (poll: string): Promise<number> => {
      await host.requireCapability()
      const { count } = await host.request('polls/vote', { poll })
      return Number(count)
    }
    host.handleResultType('tools/call', 'poll', async ({ result }) => {
      const count = await vote(String(result.poll))
      return { content: [{ type: 'text', text: `${result.poll}: ${count}` }] }
    })
    const watch = (poll: string, onVote: (count: number) => void) =>
      host.subscribe({ polls: [poll] }, ({ method, params }) => {
        if (method === 'notifications/polls') onVote(Number(params?.count))
      })
    return { vote, watch }
  },
})
// #endregion

// #region use
export async function lunch(target: ConnectTarget): Promise<string> {
  await using client = await connect(target, { extensions: [polls] })
  const votes: number[] = []
  await client.polls.watch('soup', (count) => votes.push(count)).acknowledged

  await client.polls.vote('soup')
  const { content } = await client.callTool('lunch')
  return `${JSON.stringify(content)} after ${votes.length} votes`
}
// #endregion
