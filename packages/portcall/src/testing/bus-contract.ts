import type { Bus } from '../stores/bus.ts'
import { type Case, equal, eventually, run, STRANGE, type Suite } from './contract.ts'

/** Tests of `Bus`. */
export function busContract(suite: Suite<Bus>): void {
  run(suite, undefined, { ...busDelivery, ...busSubscribers })
}

const busDelivery: Record<string, Case<Bus>> = {
  'bus: all subscribers of a topic get its messages, in order': async (bus) => {
    const [first, second, other]: string[][] = [[], [], []]
    await bus.subscribe('topic', (message) => void first?.push(message))
    await bus.subscribe('topic', (message) => void second?.push(message))
    await bus.subscribe('other', (message) => void other?.push(message))
    const messages = Array.from({ length: 50 }, (_, at) => `message ${at}`)
    for (const message of messages) void bus.publish('topic', message)
    await bus.publish('other', 'end')
    await eventually(() => first?.length === 50 && second?.length === 50 && other?.length === 1)
    equal([first, second, other], [messages, messages, ['end']])
  },
  'bus: publishing without subscribers is no error, and nothing is kept': async (bus) => {
    const seen: string[] = []
    await bus.publish('topic', 'early')
    await bus.subscribe('topic', (message) => void seen.push(message))
    await bus.publish('topic', 'late')
    await eventually(() => seen.length > 0)
    equal(seen, ['late'])
  },
  'bus: each topic keeps its order while many are published to': async (bus) => {
    const topics = Array.from({ length: 20 }, (_, at) => `topic ${at}`)
    const seen = new Map<string, string[]>(topics.map((topic) => [topic, []]))
    await Promise.all(topics.map((topic) => bus.subscribe(topic, (message) => void seen.get(topic)?.push(message))))
    const messages = Array.from({ length: 20 }, (_, at) => `message ${at}`)
    await Promise.all(messages.flatMap((message) => topics.map((topic) => bus.publish(topic, message))))
    await eventually(() => [...seen.values()].every((found) => found.length === messages.length))
    for (const found of seen.values()) equal(found, messages)
  },
  'bus: any string is a topic and a message': async (bus) => {
    const seen: string[] = []
    for (const topic of STRANGE) await bus.subscribe(topic, (message) => void seen.push(topic + message))
    for (const topic of STRANGE) await bus.publish(topic, topic)
    await eventually(() => seen.length === STRANGE.length)
    equal(seen.sort(), STRANGE.map((topic) => topic + topic).sort())
  },
}

const busSubscribers: Record<string, Case<Bus>> = {
  'bus: a subscriber that throws hurts nobody': async (bus) => {
    const seen: string[] = []
    await bus.subscribe('topic', () => {
      throw new Error('a bad subscriber')
    })
    await bus.subscribe('topic', (message) => void seen.push(message))
    await bus.publish('topic', 'one')
    await bus.publish('topic', 'two')
    await eventually(() => seen.length === 2)
    equal(seen, ['one', 'two'])
  },
  'bus: a subscription ends, others of the same function stay': async (bus) => {
    const seen: string[] = []
    const onMessage = (message: string): void => void seen.push(message)
    const end = await bus.subscribe('topic', onMessage)
    await bus.subscribe('topic', onMessage)
    end()
    end()
    await bus.publish('topic', 'one')
    await eventually(() => seen.length > 0)
    equal(seen, ['one'])
  },
  'bus: a subscriber may end itself, subscribe and publish': async (bus) => {
    const seen: string[] = []
    const end = await bus.subscribe('topic', (message) => {
      seen.push(message)
      end()
      void bus.publish('topic', 'from inside')
    })
    await bus.subscribe('topic', (message) => void seen.push(`second ${message}`))
    await bus.publish('topic', 'first')
    await eventually(() => seen.length === 3)
    equal(seen, ['first', 'second first', 'second from inside'])
  },
}
