/** The client's side of an extension: it votes, hears of votes, and turns a poll into the result of a tool. */
import { connect, extension, type Target } from 'portcall/client'

const ID = 'com.example/polls'

// #region extension
export const polls = extension({
  id: ID,
  name: 'polls',
  connect(host) {
    host.method('polls/vote', { nameParam: 'poll' })

    const vote = async (poll: string): Promise<number> => {
      await host.demand()
      const { count } = await host.request('polls/vote', { poll })
      return Number(count)
    }
    host.result('tools/call', 'poll', async ({ result }) => {
      const count = await vote(String(result.poll))
      return { content: [{ type: 'text', text: `${result.poll}: ${count}` }] }
    })
    const watch = (poll: string, onVote: (count: number) => void) =>
      host.listen({ polls: [poll] }, ({ method, params }) => {
        if (method === 'notifications/polls') onVote(Number(params?.count))
      })
    return { vote, watch }
  },
})
// #endregion

// #region use
export async function lunch(target: Target): Promise<string> {
  await using client = await connect(target, { extensions: [polls] })
  const votes: number[] = []
  await client.polls.watch('soup', (count) => votes.push(count)).honoured

  await client.polls.vote('soup')
  const { content } = await client.callTool('lunch')
  return `${JSON.stringify(content)} after ${votes.length} votes`
}
// #endregion
