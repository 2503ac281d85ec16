import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type BundleRequest, TARGET } from '../bundler.ts'

/** The members of Vite's configuration that a build of one file decides. */
interface ViteConfig {
  publicDir?: string | false
  build?: { [name: string]: unknown }
  experimental?: { renderBuiltUrl?: unknown }
  environments?: { [name: string]: { build?: { [name: string]: unknown } } | undefined }
  [name: string]: unknown
}

/** The folder of files that Vite writes beside the script. The name is in no other URL. */
export const ASSETS = 'portcall-view-assets'

/** The settings of a project that make a build of one file impossible, or that concern other outputs. */
const WITHOUT = ['lib', 'ssr', 'watch', 'manifest', 'ssrManifest', 'ssrEmitAssets', 'rollupOptions', 'rolldownOptions']

/**
 * Creates the plugin that has the last word on how a view is built: one script, without the entries, outputs, external packages and library
 * mode of the project's configuration. It also finds files of the folder `public`.
 */
export function createSettingsPlugin(request: BundleRequest, isRolldown: boolean, root: string): object {
  const { entry, minify, sourcemap, maxAssetBytes } = request
  const output = {
    entryFileNames: 'view.js',
    assetFileNames: `${ASSETS}/[hash]/[name][extname]`,
    ...(isRolldown ? { codeSplitting: false } : { inlineDynamicImports: true }),
  }
  const own = {
    write: false,
    outDir: ASSETS,
    assetsDir: ASSETS,
    target: TARGET,
    minify,
    sourcemap: sourcemap && 'hidden',
    assetsInlineLimit: maxAssetBytes,
    cssCodeSplit: false,
    modulePreload: false,
    copyPublicDir: false,
    reportCompressedSize: false,
    [isRolldown ? 'rolldownOptions' : 'rollupOptions']: { input: entry.id, output },
  }
  let publicDir = join(root, 'public')
  const apply = (build: { [name: string]: unknown } = {}): { [name: string]: unknown } => {
    for (const name of WITHOUT) delete build[name]
    return Object.assign(build, own)
  }
  return {
    name: 'portcall-view-settings',
    enforce: 'post',
    config: {
      order: 'post',
      handler(config: ViteConfig) {
        if (typeof config.publicDir === 'string' && config.publicDir !== '') publicDir = join(root, config.publicDir)
        Object.assign(config, { root, base: '/', publicDir: false, build: apply(config.build) })
        if (config.experimental) delete config.experimental.renderBuiltUrl
        if (config.environments?.client?.build) apply(config.environments.client.build)
      },
    },
    resolveId: {
      order: 'pre',
      handler(wanted: string) {
        if (!wanted.startsWith('/') || existsSync(wanted.replace(/\?[\s\S]*/, ''))) return undefined
        const file = join(publicDir, wanted)
        return existsSync(file.replace(/\?[\s\S]*/, '')) ? file : undefined
      },
    },
  }
}
