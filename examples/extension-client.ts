import { type ConnectTarget, connect, defineClientExtension } from 'portcall/client'

const ID = 'com.example/polls'

export const polls = defineClientExtension({
  id: ID,
  name: 'polls',
  setup(context) {
    context.method('polls/vote', { nameParam: 'poll' })

    const vote = async (poll: string): Promise<number> => {
      await context.requireCapability()
      const { count } = await context.request('polls/vote', { poll })
      return Number(count)
    }
    context.handleResultType('tools/call', 'poll', async ({ result }) => {
      const count = await vote(String(result.poll))
      return { content: [{ type: 'text', text: `${result.poll}: ${count}` }] }
    })
    const watch = (poll: string, onVote: (count: number) => void) =>
      context.subscribe({ polls: [poll] }, ({ method, params }) => {
        if (method === 'notifications/polls') onVote(Number(params?.count))
      })
    return { vote, watch }
  },
})

/** Votes for soup, and returns the lunch of the day. */
export async function lunch(target: ConnectTarget): Promise<string> {
  const client = await connect(target, { extensions: [polls] })
  const votes: number[] = []
  await client.polls.watch('soup', (count) => votes.push(count)).acknowledged

  await client.polls.vote('soup')
  const { content } = await client.callTool('lunch')
  await client.close()
  return `${JSON.stringify(content)} after ${votes.length} votes`
}
