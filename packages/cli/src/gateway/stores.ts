import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Stores } from 'portcall/stores'
import { errorMessage } from '../../../util/src/errors.ts'
import { CliError } from '../cli-error.ts'
import { createVariableMask, type VariableMask } from './variable-mask.ts'

type OpenStores = (url: string, directory: string) => Promise<Stores>

/** How to open the stores of each scheme. */
const SCHEMES: { readonly [scheme: string]: OpenStores } = {
  sqlite: async (url, directory) => {
    const { sqliteStores } = await import('portcall/stores/sqlite')
    return sqliteStores(resolve(directory, url.slice('sqlite:'.length).replace(/^\/\//, '')))
  },
  redis: openRedis,
  rediss: openRedis,
  postgres: openPostgres,
  postgresql: openPostgres,
}

/** Reports whether a text is the URL of stores, and not the path of a file. */
export const isStoresUrl = (text: string): boolean => Object.hasOwn(SCHEMES, text.slice(0, Math.max(0, text.indexOf(':'))))

/**
 * Opens the stores of a configuration: `sqlite:FILE`, `redis://…` or `postgres://…`.
 *
 * @throws CliError if they cannot be opened, or their client is not installed. It contains none of the variables.
 */
export async function openConfiguredStores(
  url: string,
  directory: string,
  variables: VariableMask = createVariableMask(),
): Promise<Stores> {
  const scheme = url.slice(0, url.indexOf(':'))
  try {
    return await (SCHEMES[scheme] as OpenStores)(url, directory)
  } catch (error) {
    if (error instanceof CliError) throw error
    throw new CliError('unreachable', `cannot open the ${scheme} store: ${variables.hide(errorMessage(error))}`, {
      cause: error,
    })
  }
}

async function openRedis(url: string, directory: string): Promise<Stores> {
  const { redisStores } = await import('portcall/stores/redis')
  const { Redis } = (await importPackage('ioredis', directory)) as { Redis: new (url: string, options: object) => never }
  return redisStores(new Redis(url, { lazyConnect: true }))
}

async function openPostgres(url: string, directory: string): Promise<Stores> {
  const { postgresStores } = await import('portcall/stores/postgres')
  const { default: pg } = (await importPackage('pg', directory)) as { default: { Pool: new (options: object) => never } }
  return postgresStores(new pg.Pool({ connectionString: url }))
}

/** Imports a package that is installed next to the configuration, in the working directory, or next to this command. */
async function importPackage(name: string, directory: string): Promise<unknown> {
  const places = [join(directory, 'x'), join(process.cwd(), 'x'), new URL(import.meta.url)]
  for (const place of places) {
    try {
      return await import(pathToFileURL(createRequire(place).resolve(name)).href)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error
    }
  }
  throw new CliError('usage', `the store needs the package ${name}`, { hint: `install it with npm install ${name}` })
}
