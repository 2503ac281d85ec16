import { fileURLToPath } from 'node:url'
import type { Change, Client, Subscription } from 'portcall/client'
import type { ClientSkills } from 'portcall/skills/client'
import type { ClientTasks, TaskHandle } from 'portcall/tasks/client'
import { expect } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { EXTENSION } from '../matrix/server/index.ts'

/** A client, and what it has received. */
export interface Peer {
  readonly client: Client & { readonly tasks: ClientTasks; readonly skills: ClientSkills }
  /** The levels of the log messages. */
  readonly logged: string[]
}

/**
 * Uses a feature of the protocol. Returns `works`, or what happens instead. Throws the error of the server or the gateway if the feature cannot
 * be used.
 */
type Behavior = (peer: Peer) => Promise<string>

const SKILLS = fileURLToPath(new URL('../conformance/fixture/skills', import.meta.url))
const TEXT = 'memo://text'

async function callText({ client }: Peer, name: string, args: object = {}): Promise<string> {
  const { content, isError } = await client.callTool(name, { ...args })
  const { text } = content[0] as { text: string }
  if (isError) throw new Error(text)
  return text
}

const journal = async (peer: Peer): Promise<string[]> => JSON.parse(await callText(peer, 'journal')) as string[]

/** Waits until the handlers of the server have recorded an action. */
async function waitForJournal(peer: Peer, entry: string): Promise<void> {
  const all: string[] = []
  await eventually(async () => {
    all.push(...(await journal(peer)))
    expect(all).toContain(entry)
  })
}

/** Returns the changes that a subscription reports while `act` runs, until there are as many as expected. */
async function changesDuring(subscription: Subscription, expected: number, act: () => Promise<unknown>): Promise<Change[]> {
  await subscription.acknowledged
  const changes: Change[] = []
  const reading = (async () => {
    for await (const change of subscription) changes.push(change)
  })()
  await act()
  await eventually(() => expect(changes).toHaveLength(expected))
  subscription.close()
  await reading
  return changes
}

/** Calls a tool that answers with a text if it got the input that it requested. */
const asks =
  (tool: string, answer: string): Behavior =>
  async (peer) => {
    expect(await callText(peer, tool)).toContain(answer)
    return 'works'
  }

/** Cancels a call. Returns after how many milliseconds its handler is aborted. */
async function timeCancellation(peer: Peer, name: string): Promise<number> {
  const controller = new AbortController()
  const call = peer.client.callTool('waits', { name }, { signal: controller.signal })
  const ended = expect(call).rejects.toThrow('enough')
  await waitForJournal(peer, `${name} started`)
  const cancelledAt = performance.now()
  controller.abort(new Error('enough'))
  await ended
  await waitForJournal(peer, `${name} stopped`)
  return performance.now() - cancelledAt
}

/** The behaviors that a bridge must preserve, by name. `differences.json` names the pairs of revisions in which something else happens. */
export const BEHAVIORS: { readonly [name: string]: Behavior } = {
  async tools(peer) {
    const tools = await peer.client.tools().toArray()
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['echo', '__proto__']))
    expect(await callText(peer, 'echo', { text: 'hi' })).toBe('hi')
    expect(await peer.client.callTool('fails')).toMatchObject({ isError: true, content: [{ text: 'The printer is on fire' }] })
    await expect(peer.client.callTool('no_such_tool')).rejects.toMatchObject({ code: -32602, message: /Unknown tool/ })
    return 'works'
  },
  async resources({ client }) {
    expect((await client.resources().toArray()).map(({ uri }) => uri)).toEqual(expect.arrayContaining([TEXT, 'note://apple']))
    expect(await client.readResource(TEXT)).toMatchObject({ contents: [{ uri: TEXT, text: 'memo' }] })
    expect(await client.readResource('memo://bytes')).toMatchObject({ contents: [{ blob: 'AAEC' }] })
    await expect(client.readResource('memo://missing')).rejects.toMatchObject({ code: -32602, data: { uri: 'memo://missing' } })
    return 'works'
  },
  async 'resource templates'({ client }) {
    expect((await client.resourceTemplates().toArray()).map(({ uriTemplate }) => uriTemplate)).toContain('note://{id}')
    expect(await client.readResource('page://7')).toMatchObject({ contents: [{ text: '7 is followed by 8' }] })
    return 'works'
  },
  async prompts({ client }) {
    expect((await client.prompts().toArray()).map(({ name }) => name)).toContain('greets')
    expect(await client.getPrompt('greets', { name: 'Ada' })).toMatchObject({ messages: [{ content: { text: 'Greet Ada.' } }] })
    await expect(client.getPrompt('no_such_prompt')).rejects.toMatchObject({ code: -32602 })
    return 'works'
  },
  async completion({ client }) {
    const prompt = await client.complete({ type: 'ref/prompt', name: 'greets' }, { name: 'name', value: 'A' })
    expect(prompt.values).toEqual(['Ada'])
    const template = await client.complete({ type: 'ref/resource', uri: 'note://{id}' }, { name: 'id', value: 'ap' })
    expect(template.values).toEqual(['apple', 'apricot'])
    return 'works'
  },
  async 'completion context'({ client }) {
    const context = { arguments: { name: 'Ada' } }
    const { values } = await client.complete({ type: 'ref/prompt', name: 'greets' }, { name: 'tone', value: 'f' }, context)
    if (values.length === 0) return 'no values'
    expect(values).toEqual(['formal', 'fond'])
    return 'works'
  },
  async logging(peer) {
    peer.logged.length = 0
    await callText(peer, 'logs')
    await eventually(() => expect(peer.logged).toEqual(expect.arrayContaining(['debug', 'error', 'emergency'])))
    return 'works'
  },
  async progress({ client }) {
    const progress: object[] = []
    await client.callTool('counts', { to: 3 }, { onProgress: (one) => progress.push(one) })
    expect(progress.map((one) => (one as { progress: number }).progress)).toEqual([1, 2, 3])
    return 'works'
  },
  async cancellation(peer) {
    // A pause of the machine may delay one of them.
    const fastest = Math.min(
      ...[await timeCancellation(peer, 'one'), await timeCancellation(peer, 'two'), await timeCancellation(peer, 'three')],
    )
    expect(fastest).toBeLessThan(1000)
    return 'works'
  },
  async 'list changes'(peer) {
    const subscription = peer.client.listen({ toolsListChanged: true, promptsListChanged: true })
    const changes = await changesDuring(subscription, 2, async () => {
      await callText(peer, 'register', { count: 1 })
      await callText(peer, 'shows_prompt', { show: false })
    })
    expect(changes).toEqual(expect.arrayContaining([{ type: 'tools' }, { type: 'prompts' }]))
    expect(await callText(peer, 'extra-1')).toBe('extra 1')
    return 'works'
  },
  async subscriptions(peer) {
    const subscription = peer.client.listen({ resourceSubscriptions: [TEXT] })
    const changes = await changesDuring(subscription, 1, async () => {
      await callText(peer, 'touches', { uri: 'memo://bytes' })
      await callText(peer, 'touches', { uri: TEXT })
    })
    expect(changes).toEqual([{ type: 'resource', uri: TEXT }])
    return 'works'
  },
  elicitation: asks('asks', 'Hello, Ada'),
  'elicitation by URL': asks('asks_url', 'signed in'),
  sampling: asks('asks_model', 'Hello'),
  'sampling with tools': asks('asks_model_with_tools', 'endTurn'),
  roots: asks('asks_roots', 'file:///home'),
  async tasks(peer) {
    if (!('taskId' in (await peer.client.tasks.start('task_greets', { name: 'Ada' })))) return 'answers at once'
    const asking = (await peer.client.tasks.start('task_asks')) as TaskHandle
    expect((await asking.result()).content).toEqual([{ type: 'text', text: 'Ada and Ada' }])
    const waiting = (await peer.client.tasks.start('task_waits')) as TaskHandle
    await eventually(async () => expect(await waiting.get()).toMatchObject({ statusMessage: 'Waiting for the end' }))
    await waiting.cancel()
    await waitForJournal(peer, 'aborted')
    await expect(waiting.result()).rejects.toMatchObject({ code: 'TASK_CANCELLED' })
    return 'works'
  },
  async skills(peer) {
    await callText(peer, 'serves_skills', { folder: SKILLS })
    const { skills } = peer.client
    const skill = (await skills.list().toArray()).find(({ frontmatter }) => frontmatter.name === 'pdf-processing')
    expect(JSON.stringify(await skills.load(skill?.uri ?? ''))).toContain('pdf-processing')
    expect((await peer.client.resources().toArray()).map(({ uri }) => uri)).toContain(skill?.uri)
    return 'works'
  },
  async pagination({ client }) {
    const first = (await client.request('tools/list')) as { tools: object[]; nextCursor: string }
    const next = (await client.request('tools/list', { cursor: first.nextCursor })) as { tools: object[] }
    const names = [...first.tools, ...next.tools].map((tool) => (tool as { name: string }).name)
    expect(new Set(names).size).toBe(names.length)
    await expect(client.request('tools/list', { cursor: `${first.nextCursor}x` })).rejects.toMatchObject({ code: -32602 })
    return 'works'
  },
  async 'unknown _meta'({ client }) {
    const meta = { 'com.example/sent': { deep: [1] } }
    expect(await client.callTool('repeats_meta', {}, { meta })).toMatchObject({
      _meta: { 'com.example/repeated': { deep: [1] } },
    })
    const [block] = (await client.callTool('blocks')).content
    return (block as { _meta?: object } | undefined)?._meta ? 'works' : 'only in results'
  },
  async extensions({ client }) {
    expect(await client.request(`${EXTENSION}/say`, { text: 'hi' })).toMatchObject({ said: 'hi!' })
    return 'works'
  },
}
