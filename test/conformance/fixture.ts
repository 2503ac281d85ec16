/**
 * The server that the official conformance suite talks to: one endpoint for every revision.
 * Each file in `fixture/` adds the tools, prompts and resources of one subject; their names and answers are the suite's contract.
 * `npm run fixture` serves it (env PORT, default 3100).
 */
import { fileURLToPath } from 'node:url'
import { createServer } from 'portcall'
import { serve } from 'portcall/node'
import { skills } from 'portcall/skills'
import { tasks } from 'portcall/tasks'
import { addAskingTools } from './fixture/asking.ts'
import { addContentTools } from './fixture/content.ts'
import { addPrompts } from './fixture/prompts.ts'
import { addReportingTools } from './fixture/reporting.ts'
import { addResources } from './fixture/resources.ts'
import { addRoundTools } from './fixture/rounds.ts'
import { addSchemaTools } from './fixture/schemas.ts'
import { openStores } from './fixture/stores.ts'
import { addTaskTools } from './fixture/tasks.ts'

/** Seen from the built file. */
const SKILLS = fileURLToPath(new URL('../fixture/skills', import.meta.url))

const server = createServer(
  { name: 'portcall-conformance', version: '1.0.0' },
  { ...openStores(), extensions: [tasks(), skills({ directoryRead: true })] },
)

addContentTools(server)
addReportingTools(server)
addSchemaTools(server)
addAskingTools(server)
addRoundTools(server)
addTaskTools(server)
addPrompts(server)
addResources(server)
await server.skills(SKILLS)

const { url } = await serve(server, { port: Number(process.env.PORT ?? 3100) })
console.error(`The conformance fixture listens on ${url}`)
