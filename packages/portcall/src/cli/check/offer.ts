import type { Client, DiscoverResult, Prompt, Resource, ResourceTemplate, Tool } from '../../client.ts'

/** All that a server offers. */
export interface Offer {
  readonly about: DiscoverResult
  readonly tools: readonly Tool[]
  readonly resources: readonly Resource[]
  readonly templates: readonly ResourceTemplate[]
  readonly prompts: readonly Prompt[]
}

/** Gets all of it: of what is not declared, nothing. */
export async function readOffer(client: Client): Promise<Offer> {
  const about = await client.discover()
  const { tools, resources, prompts } = about.capabilities
  return {
    about,
    tools: tools ? await client.tools().toArray() : [],
    resources: resources ? await client.resources().toArray() : [],
    templates: resources ? await client.templates().toArray() : [],
    prompts: prompts ? await client.prompts().toArray() : [],
  }
}
