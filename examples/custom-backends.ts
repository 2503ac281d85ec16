import { createServer } from 'portcall'
import { createEmitterBus } from './custom-bus.ts'
import { createMapLog } from './custom-log.ts'
import { createMapStore } from './custom-store.ts'

const stores = { store: createMapStore(), log: createMapLog(), bus: createEmitterBus() }

export const server = createServer({ name: 'custom', version: '1.0.0' }, { stores })
server.tool('ping', { description: 'Check that the server responds' }, () => 'pong')
