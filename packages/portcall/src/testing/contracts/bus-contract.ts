import type { Bus } from '../../stores/bus.ts'
import { assertEqual, type ContractCase, EDGE_CASE_STRINGS, eventually, runCases, type TestFramework } from './contract.ts'

/** Registers the tests that every `Bus` must pass. */
export function busContract(framework: TestFramework<Bus>): void {
  runCases(framework, undefined, { ...busDelivery, ...busSubscribers })
}

const busDelivery: Record<string, ContractCase<Bus>> = {
  'bus: all subscribers of a topic receive its messages, in order': async (bus) => {
    const [first, second, other]: string[][] = [[], [], []]
    await bus.subscribe('topic', (message) => void first?.push(message))
    await bus.subscribe('topic', (message) => void second?.push(message))
    await bus.subscribe('other', (message) => void other?.push(message))
    const messages = Array.from({ length: 50 }, (_, index) => `message ${index}`)
    for (const message of messages) void bus.publish('topic', message)
    await bus.publish('other', 'end')
    await eventually(() => first?.length === 50 && second?.length === 50 && other?.length === 1)
    assertEqual([first, second, other], [messages, messages, ['end']])
  },
  'bus: publishing without subscribers succeeds, and nothing is stored': async (bus) => {
    const received: string[] = []
    await bus.publish('topic', 'before')
    await bus.subscribe('topic', (message) => void received.push(message))
    await bus.publish('topic', 'after')
    await eventually(() => received.length > 0)
    assertEqual(received, ['after'])
  },
  'bus: concurrent publishing preserves the order of each topic': async (bus) => {
    const topics = Array.from({ length: 20 }, (_, index) => `topic ${index}`)
    const seen = new Map<string, string[]>(topics.map((topic) => [topic, []]))
    await Promise.all(topics.map((topic) => bus.subscribe(topic, (message) => void seen.get(topic)?.push(message))))
    const messages = Array.from({ length: 20 }, (_, index) => `message ${index}`)
    await Promise.all(messages.flatMap((message) => topics.map((topic) => bus.publish(topic, message))))
    await eventually(() => [...seen.values()].every((received) => received.length === messages.length))
    for (const received of seen.values()) assertEqual(received, messages)
  },
  'bus: any string is a valid topic and message': async (bus) => {
    const received: string[] = []
    for (const topic of EDGE_CASE_STRINGS) await bus.subscribe(topic, (message) => void received.push(topic + message))
    for (const topic of EDGE_CASE_STRINGS) await bus.publish(topic, topic)
    await eventually(() => received.length === EDGE_CASE_STRINGS.length)
    assertEqual(received.sort(), EDGE_CASE_STRINGS.map((topic) => topic + topic).sort())
  },
}

const busSubscribers: Record<string, ContractCase<Bus>> = {
  'bus: a subscriber that throws does not affect others': async (bus) => {
    const received: string[] = []
    await bus.subscribe('topic', () => {
      throw new Error('the subscriber failed')
    })
    await bus.subscribe('topic', (message) => void received.push(message))
    await bus.publish('topic', 'one')
    await bus.publish('topic', 'two')
    await eventually(() => received.length === 2)
    assertEqual(received, ['one', 'two'])
  },
  'bus: ending a subscription does not end others with the same function': async (bus) => {
    const received: string[] = []
    const onMessage = (message: string): void => void received.push(message)
    const unsubscribe = await bus.subscribe('topic', onMessage)
    await bus.subscribe('topic', onMessage)
    unsubscribe()
    unsubscribe()
    await bus.publish('topic', 'one')
    await eventually(() => received.length > 0)
    assertEqual(received, ['one'])
  },
  'bus: a subscriber may unsubscribe and publish': async (bus) => {
    const received: string[] = []
    const unsubscribe = await bus.subscribe('topic', (message) => {
      received.push(message)
      unsubscribe()
      void bus.publish('topic', 'from inside')
    })
    await bus.subscribe('topic', (message) => void received.push(`second ${message}`))
    await bus.publish('topic', 'first')
    await eventually(() => received.length === 3)
    assertEqual(received, ['first', 'second first', 'second from inside'])
  },
}
