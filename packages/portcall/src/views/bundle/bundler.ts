import type { EntryModule } from './entry-module.ts'
import type { LocalFiles } from './files.ts'
import type { Bundler } from './find-bundler.ts'

/** The request for a bundle. */
export interface BundleRequest {
  readonly bundler: Bundler
  /** The file of the view. */
  readonly file: string
  readonly files: LocalFiles
  readonly entry: EntryModule
  readonly plugins: readonly object[]
  readonly minify: boolean
  readonly sourcemap: boolean
  readonly maxAssetBytes: number
  readonly onWarning: (message: string) => void
}

/** The script and the styles of a view. */
export interface Bundled {
  readonly code: string
  readonly css: string
  readonly map: string | undefined
}

/** The oldest JavaScript that hosts run. */
export const TARGET = 'es2022'

/** A file that a bundler wrote. */
export interface OutputFile {
  readonly type: 'chunk' | 'asset'
  readonly fileName: string
  readonly code?: string
  readonly source?: string | Uint8Array
  readonly originalFileNames?: readonly string[]
  readonly map?: { toString(): string } | null
}

/** A message of a bundler. */
export interface BundlerLog {
  readonly code?: string
  readonly message: string
}
