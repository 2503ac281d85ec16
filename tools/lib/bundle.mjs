import { rolldown } from 'rolldown'

/** Imports that stay external in a built program: Node's built-in modules and installed packages. */
const isInstalledModule = (id) => /^[a-z@#]/i.test(id) && !/^[a-z]:[\\/]/i.test(id)

/**
 * Bundles TypeScript programs, which Node 20 cannot run. Relative imports are bundled; packages stay imports. `entries` maps names to
 * files; each becomes `folder/name.js`.
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
