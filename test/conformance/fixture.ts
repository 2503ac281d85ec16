/**
 * The server under test of the official conformance suite: one endpoint for all revisions. Each file in `fixture/` adds the tools, prompts and
 * resources of one subject. The suite prescribes their names and results. `npm run fixture` starts the server on the port in the environment
 * variable PORT, by default 3100.
 */
import { fileURLToPath } from 'node:url'
import { createServer } from 'portcall'
import { serve } from 'portcall/node'
import { skills } from 'portcall/skills'
import { tasks } from 'portcall/tasks'
import { addContentTools } from './fixture/content.ts'
import { addInputRequestTools } from './fixture/input-requests.ts'
import { addMultiRoundTripTools } from './fixture/multi-round-trip.ts'
import { addNotificationTools } from './fixture/notifications.ts'
import { addPrompts } from './fixture/prompts.ts'
import { addResources } from './fixture/resources.ts'
import { addSchemaTools } from './fixture/schemas.ts'
import { openStores } from './fixture/stores.ts'
import { addTaskTools } from './fixture/tasks.ts'

/** Relative to the bundled file. */
const SKILLS = fileURLToPath(new URL('../fixture/skills', import.meta.url))

const server = createServer(
  { name: 'portcall-conformance', version: '1.0.0' },
  { ...openStores(), extensions: [tasks(), skills({ directoryRead: true })] },
)

addContentTools(server)
addNotificationTools(server)
addSchemaTools(server)
addInputRequestTools(server)
addMultiRoundTripTools(server)
addTaskTools(server)
addPrompts(server)
addResources(server)
await server.skills(SKILLS)

const { url } = await serve(server, { port: Number(process.env.PORT ?? 3100) })
console.error(`The conformance fixture listens on ${url}`)
