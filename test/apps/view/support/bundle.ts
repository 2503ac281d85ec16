import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const HERE = new URL('..', import.meta.url)
const installed = (name: string) => fileURLToPath(new URL(`../node_modules/${name}`, HERE))

/** The frameworks, by the packages that are installed here. The library and its tests get the same copy. */
const FRAMEWORKS = {
  react: installed('react'),
  'react-dom': installed('react-dom'),
  preact: installed('preact'),
}

/** The aliases for React 18. */
export const REACT_18 = { react: installed('react-18'), 'react-dom': installed('react-dom-18') }

/** Bundles a module of this folder, with development builds of the frameworks, and returns its code. */
export async function bundle(
  path: string,
  { alias = {}, platform = 'browser' }: { alias?: Record<string, string>; platform?: 'browser' | 'node' } = {},
): Promise<string> {
  const build = await rolldown({
    input: fileURLToPath(new URL(path, HERE)),
    platform,
    resolve: { alias: { ...FRAMEWORKS, ...alias } },
    transform: { define: { 'process.env.NODE_ENV': '"development"' } },
    logLevel: 'silent',
  })
  const { output } = await build.generate({ format: 'esm', codeSplitting: false })
  await build.close()
  return output[0].code
}

/** Returns a page that runs a script. */
export const pageOf = (code: string): string =>
  `<!doctype html><html><head><meta charset="utf-8"></head><body><div id="root"></div><script type="module">${code.replaceAll('</script', '<\\/script')}</script></body></html>`
