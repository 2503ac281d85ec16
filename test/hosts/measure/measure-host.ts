import { type HostProgram, versionOf } from '../host-program.ts'
import type { ModelRequest, OfferedTool } from '../model-api/model-api.ts'
import { createResultServer, DEFINITION_SERVERS, type SlowCall } from '../probes/servers.ts'
import type { HostRecord } from '../recording.ts'
import { runSession } from '../session.ts'
import { createCallingModel, measureLongResults, measureResults, measureWire } from './calls.ts'
import { addedArguments, measureArguments, measureNames, measureSchemas, measureTexts } from './definitions.ts'

const isProbe = ({ description }: OfferedTool): boolean => description.includes('[[')
const offersProbes = ({ tools }: ModelRequest): boolean => tools.some(isProbe)

/** Runs a host with each server of probes, and reports what it did. */
export async function measureHost(program: HostProgram): Promise<Omit<HostRecord, 'measured'>> {
  const requestWith = async (server: keyof typeof DEFINITION_SERVERS): Promise<ModelRequest> => {
    const { requests } = await runSession(program, DEFINITION_SERVERS[server], offersProbes)
    const [request] = requests
    if (!request) throw new Error(`${program.host} sent no request to the model`)
    return { ...request, tools: request.tools.filter(isProbe) }
  }
  const lengths = await requestWith('lengths')
  const characters = await requestWith('characters')
  const schemas = await requestWith('schemas')
  const texts = await requestWith('texts')
  const many = await requestWith('many')
  const added = addedArguments(schemas.tools)
  const model = createCallingModel(added)
  const slow: SlowCall = {}
  const session = await runSession(program, () => createResultServer(slow), offersProbes, model.decide)
  const { addedAreSent, ...wire } = measureWire(session, slow, added)
  return {
    program: `${program.npm}@${versionOf(program)}`,
    names: measureNames(lengths.tools, characters.tools),
    arguments: { ...measureArguments(characters.tools, schemas.tools), addedAreSent },
    texts: { ...measureTexts(texts.tools, texts.prompt), result: measureLongResults(model) },
    tools: many.tools.length,
    ...measureSchemas(schemas.tools),
    results: measureResults(model),
    wire,
  }
}
