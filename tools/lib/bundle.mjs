import { rolldown } from 'rolldown'

/** What is not bundled in a built program: Node's modules and everything that is installed. */
const isInstalledModule = (id) => /^[a-z@#]/i.test(id) && !/^[a-z]:[\\/]/i.test(id)

/**
 * Builds TypeScript programs for a Node that cannot run them: relative imports are bundled, packages are imported from where
 * they are installed. `entries` maps names to files; each becomes `folder/name.js`.
 */
export async function bundlePrograms(entries, folder) {
  const bundle = await rolldown({
    input: entries,
    platform: 'node',
    external: isInstalledModule,
    logLevel: 'warn',
    tsconfig: false,
  })
  await bundle.write({
    dir: folder,
    format: 'esm',
    sourcemap: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
  })
  await bundle.close()
}
