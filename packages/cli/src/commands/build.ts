import { basename, extname, join } from 'node:path'
import type { BuildViewOptions } from 'portcall/apps/server'
import { CliError, usageError } from '../cli-error.ts'
import { type Command, defineCommand } from '../command.ts'

const BUNDLERS = ['vite', 'rolldown'] as const
const BYTES_PER_KB = 1024

/** `portcall build` */
export const buildCommand: Command = defineCommand({
  name: 'build',
  summary: 'Bundle the views of tools, each into one page',
  serverUse: 'none',
  args: ['<files...>'],
  details: [
    'Each file is a page (.html) or a script (.ts, .tsx, .js, .jsx). Its scripts, styles, images and fonts become a part of the page, which loads nothing else. Uses the Vite of the project with its configuration, otherwise rolldown.',
    'A page has the name of its file, or of its folder for index.',
  ],
  flags: {
    out: { type: 'string', short: 'o', value: 'DIR', description: 'The folder to write to (default: dist)' },
    bundler: { type: 'string', value: 'NAME', description: 'vite or rolldown (default: vite if the project has it)' },
    readable: { type: 'boolean', description: 'Do not shorten the code' },
    sourcemap: { type: 'boolean', description: 'Write the source map beside the page' },
    'max-asset': {
      type: 'string',
      value: 'KB',
      description: 'Maximum size of an image or font that becomes a part (default: 100)',
    },
  },
  examples: ['portcall build views/chart.tsx', 'portcall build views/*.html --out build/views --sourcemap'],
  async run({ args: files, flags, io }) {
    const { buildView, ViewError } = await import('portcall/apps/server')
    const options = readOptions(flags)
    const outputs = outputsOf(files, flags.out ?? 'dist')
    const built: { readonly file: string; readonly out: string; readonly bytes: number; readonly warnings: readonly string[] }[] =
      []
    for (const [out, file] of outputs) {
      const { html, warnings } = await buildView(file, { ...options, outFile: out }).catch((error: unknown) => {
        throw error instanceof ViewError ? new CliError('failed', error.message, { code: error.code, cause: error }) : error
      })
      const bytes = Buffer.byteLength(html)
      built.push({ file, out, bytes, warnings })
      if (!io.json) io.line(`${out} ${(bytes / BYTES_PER_KB).toFixed(1)} KB`)
      io.log(warnings.map((warning) => `warning: ${file}: ${warning}`))
    }
    if (io.json) io.value({ views: built })
  },
})

function readOptions(flags: {
  readonly bundler: string | undefined
  readonly readable: boolean
  readonly sourcemap: boolean
  readonly 'max-asset': string | undefined
}): BuildViewOptions {
  const { bundler: name, readable, sourcemap, 'max-asset': limit } = flags
  const bundler = BUNDLERS.find((one) => one === name)
  if (name !== undefined && !bundler) throw usageError(`--bundler must be ${BUNDLERS.join(' or ')}, not ${name}`)
  const kilobytes = Number(limit)
  if (limit !== undefined && !(kilobytes >= 0)) throw usageError(`--max-asset must be a number of KB, not ${limit}`)
  return {
    minify: !readable,
    sourcemap,
    ...(bundler && { bundler }),
    ...(limit !== undefined && { maxAssetBytes: Math.floor(kilobytes * BYTES_PER_KB) }),
  }
}

/** Returns the file of each page, by its path. @throws CliError if two have the same. */
function outputsOf(files: readonly string[], folder: string): Map<string, string> {
  const outputs = new Map<string, string>()
  for (const file of files) {
    const out = join(folder, `${nameOf(file)}.html`)
    const other = outputs.get(out)
    if (other !== undefined) throw usageError(`${other} and ${file} would both become ${out}`, 'rename one of them')
    outputs.set(out, file)
  }
  return outputs
}

function nameOf(file: string): string {
  const name = basename(file, extname(file))
  const folder = basename(join(file, '..'))
  return name.toLowerCase() === 'index' && folder !== '.' && folder !== '' ? folder : name
}
