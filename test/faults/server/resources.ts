import type { Server } from 'portcall'

/** Templates that make a backtracking matcher try very many matches. */
export const AMBIGUOUS = [
  'a://{a}-{b}-{c}',
  'b://{a}.{b}.{c}.{d}',
  'c://{a}{b}{c}{d}{e}{f}{g}{h}',
  'd://{a}/{b}-{c}/{d}-{e}',
  'e://{+a}/{+b}/{+c}/end',
  'f://{+a}{+b}{+c}x',
  'g://{/a*}{/b*}/end',
  'h://x{?a,b,c}',
  'i://x{?a*}{&b*}',
  'j://{a,b,c,d}',
  'k://x{;a,b,c*}',
  'l://{.a*}{.b*}.end',
  'm://{#a,b}',
] as const

/** The ambiguous templates that the library accepts. */
export function addResources(server: Server): void {
  server.resource('note://fixed', { mimeType: 'text/plain' }, () => 'a note')
  server.resource('notes://{id}', { complete: { id: (value) => [`${value}!`] } }, ({ id }) => `note ${id}`)
  server.resource('files:///{+path}', {}, ({ path }) => `file ${path}`)
  server.resource('deep:///root{/path*}', {}, ({ path }) => `deep ${JSON.stringify(path)}`)
  server.prompt(
    'greet',
    {
      arguments: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      complete: { name: (value) => [`${value}!`] },
    },
    ({ name }) => `Hello ${name}`,
  )
  for (const template of AMBIGUOUS) {
    try {
      server.resource(template as string, {}, (variables) => JSON.stringify(variables))
    } catch (error) {
      console.error(`refused ${template}: ${(error as Error).message}`)
    }
  }
}
