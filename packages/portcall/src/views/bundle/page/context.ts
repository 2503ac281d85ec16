import type { LocalFiles } from '../files.ts'

/** The page whose parts are read, and how. */
export interface ViewPageContext {
  /** The file of the page. */
  readonly path: string
  readonly files: LocalFiles
  readonly maxAssetBytes: number
  readonly onWarning: (message: string) => void
}
